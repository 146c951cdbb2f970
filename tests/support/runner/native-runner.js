import { createHash } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import circus from 'jest-circus/runner';
import { setGlobals } from './jest-globals.js';
import { slowDown, slowDownAgain } from './slow-servers.js';

/**
 * Jest's runner of a test file, except that Node itself loads the test and all that it imports: once for each worker,
 * where Jest loads and links every module anew in a context for each file, which took half of the time of `npm test`.
 * Each file gets the environment variables of the start; handlers, which read them when they are loaded, are loaded anew.
 */
export default async function runTestFile(globalConfig, config, environment, runtime, path) {
  const begun = join(tmpdir(), `begun-${createHash('sha256').update(path).digest('hex')}`);
  const hasCrashed = existsSync(begun);
  writeFileSync(begun, '');
  const variables = { ...process.env };
  const { console } = globalThis;
  // Jest looks for a source map for each frame of a stack. There are none: Node keeps the positions of the sources.
  Error.prepareStackTrace = undefined;
  if (isSlow)
    environment.handleTestEvent = ({ name }) => {
      if (name === 'test_start') slowDownAgain();
    };
  globalThis.console = environment.global.console; // Jest prints it with the name of the file
  current = relative(process.cwd(), path);
  try {
    // Jest would run it again, up to three times, and print nothing.
    if (hasCrashed) throw new Error('the process of this file ended before its tests');
    // Without a channel for the result of each case, which no reporter here asks for: the main process would be kept busy.
    return await circus.default(
      globalConfig,
      config,
      environment,
      nativeRuntime(runtime, environment, config),
      path,
    );
  } finally {
    rmSync(begun);
    globalThis.console = console;
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, variables);
  }
}

// The coverage is that of the tests' own processes.
delete process.env.NODE_V8_COVERAGE;
// For the processes that tests start: what they run has other paths in each run, so that a kept cache would only grow.
process.env.NODE_COMPILE_CACHE = join(tmpdir(), 'compiled');

const isSlow = process.env.HOOKLOOM_TESTS === 'slow';
if (isSlow) slowDown();

/** The test file that runs: part of the addresses of modules that are loaded anew for it, and the same in each run. */
let current = '';
const require = createRequire(import.meta.url);

/** What Jest's adapter asks of the runtime, done by Node. */
const nativeRuntime = (runtime, environment, config) => {
  const mocker = new environment.moduleMocker.constructor(globalThis);
  const timers = new environment.fakeTimersModern.constructor({ config, global: globalThis });
  return Object.assign(Object.create(runtime), {
    requireInternalModule(path) {
      // Its state is that of one file.
      delete require.cache[path];
      delete globalThis[Symbol.for('EVENT_HANDLERS')];
      return require(path);
    },
    setGlobalsForRuntime: (globals) =>
      setGlobals({
        ...globals,
        jest: {
          fn: mocker.fn.bind(mocker),
          spyOn: mocker.spyOn.bind(mocker),
          restoreAllMocks: mocker.restoreAllMocks.bind(mocker),
          useFakeTimers: (options) => timers.useFakeTimers(options),
          useRealTimers: () => timers.useRealTimers(),
          advanceTimersByTime: (ms) => timers.advanceTimersByTime(ms),
          advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
          getTimerCount: () => timers.getTimerCount(),
        },
      }),
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule: (path) => import(`${pathToFileURL(path)}?file=${current}`),
  });
};

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@jest/globals') {
      return { url: new URL('./jest-globals.js', import.meta.url).href, shortCircuit: true };
    }
    const resolved = next(specifier, context);
    return readsVariables(resolved.url) ? { ...resolved, url: `${resolved.url}?file=${current}` } : resolved;
  },
});

/** Whether a module reads environment variables as it is loaded. */
const readsVariables = (url) =>
  /\/(functions|lib\/app)\/[^?]*\.ts$/.test(url) && !url.includes('node_modules');
