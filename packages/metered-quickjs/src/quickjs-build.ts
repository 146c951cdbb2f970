// The names of one build, which belong to the exact version in package.json: a test compares them with its loader.
// What the functions do: https://github.com/justjake/quickjs-emscripten/blob/main/c/interface.c

/** The functions in use, by the name of each in C without `QTS_`. */
export const EXPORTS = {
  initialize: 'u',
  malloc: 'v',
  free: 'M',
  NewRuntime: 'K',
  RuntimeSetMaxStackSize: 'D',
  NewContext: 'N',
  GetUndefined: 'E',
  NewString: '_',
  GetString: '$',
  FreeCString: 'S',
  NewFunction: 'Da',
  GetProp: 'ha',
  Eval: 'pa',
  Call: 'ma',
  ResolveException: 'na',
  IsJobPending: 'fa',
  ExecutePendingJob: 'ga',
  PromiseState: 'wa',
  PromiseResult: 'xa',
} as const;

/** What it calls outside. */
export const IMPORTS = {
  memory: 'a',
  currentTime: 'p',
  localTime: 'm',
  timeZone: 'n',
  growMemory: 'k',
  environmentSizes: 'f',
  environment: 'e',
  callHost: 's',
  freeHost: 't',
} as const;

/** Memory with which an instance begins: 5 MB of it are the stack, of which little is in use. */
export const LEAST_MEMORY_MB = 8;

export const PAGES_PER_MB = 16;
