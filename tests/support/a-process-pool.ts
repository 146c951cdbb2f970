import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll } from '@jest/globals';
import {
  createProcessPool,
  createSpareSandbox,
  type FunctionVersion,
  type Invocation,
  PROCESS_FILE,
} from 'lambda-stage/pool';
import { bundleFile } from '../../packages/local/functions/bundler.ts';

/** A pool of real processes, with functions of the test's own; all of it is gone after the test. */
export const useProcessPools = () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  const programFolder = mkdtempSync(join(tmpdir(), 'hookloom-program-'));
  let program: string;
  beforeAll(async () => {
    program = await bundleFile(PROCESS_FILE, programFolder); // as the local service has it
  });
  afterAll(() => rmSync(programFolder, { recursive: true }));
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0)) await cleanup();
  });

  /** `body` is the handler's, JavaScript that sees `event`, `context` and the declarations of `head`. */
  return (options: {
    readonly body: string;
    readonly head?: string;
    readonly maxProcesses?: number;
    readonly timeoutMs?: number;
    readonly environment?: Readonly<Record<string, string>>;
    readonly graceMs?: number;
  }) => {
    const folder = mkdtempSync(join(tmpdir(), 'hookloom-pool-'));
    let versions = 0;
    const write = (body: string, head = ''): FunctionVersion => {
      const file = join(folder, `function-${++versions}.mjs`);
      writeFileSync(file, `${head}\nexport const handler = async (event, context) => {${body}\n};\n`);
      return {
        key: 'test',
        file,
        exportName: 'handler',
        environment: options.environment ?? {},
        timeoutMs: options.timeoutMs ?? 30_000,
      };
    };
    let current = write(options.body, options.head);
    const spare = createSpareSandbox({ ...process.env, NODE_OPTIONS: '' }, program);
    const pool = createProcessPool({
      processes: { usual: options.maxProcesses ?? 2, most: options.maxProcesses ?? 2, growAfterMs: 100 },
      functions: {
        find: async (key) => {
          if (key === current.key) return current;
          throw new Error(`there is no function ${key}`);
        },
        isCurrent: (version) => version === current,
      },
      spare,
      graceMs: options.graceMs ?? 2_000,
    });
    const stop = async () => {
      await Promise.all([pool.stop(), spare.stop()]);
    };
    cleanups.push(stop, () => rmSync(folder, { recursive: true }));
    const invoke = (event: unknown = {}, more: Partial<Invocation> = {}): Promise<unknown> =>
      pool.invoke({ functionKey: 'test', event, requestId: 'r-1', ...more });
    /** As an edit does: from now on there is another version. */
    const replace = (body: string, head?: string): void => {
      current = write(body, head);
      pool.dropOutdated();
    };
    return { pool, invoke, replace, stop, folder };
  };
};
