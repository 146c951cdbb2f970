// The names in one build. They match only the exact version in package.json; a test compares them with its loader. For
// what the functions do, see https://github.com/justjake/quickjs-emscripten/blob/main/c/interface.c

/** The functions in use, by their C names without the prefix `QTS_`. */
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

/** The imports that the QuickJS build calls. */
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

/** Initial memory of an instance. The stack takes 5 MB of it, most of them unused. */
export const LEAST_MEMORY_MB = 8;

export const PAGES_PER_MB = 16;
