import { setImmediate as immediate } from 'node:timers/promises';
import type { FunctionVersion, InvocationContext } from './messages.ts';
import { NotBegun, type Sandbox, type SpareSandbox } from './sandbox.ts';
import { createSlots, type SlotCounts } from './slots.ts';

/** Finds the functions' code, which may change between invocations. */
export interface FunctionSource {
  /** The newest version; waits for a build. @throws Error when there is no such function or no build of it */
  find(key: string): Promise<FunctionVersion>;
  /** Whether new invocations use that version. */
  isCurrent(version: FunctionVersion): boolean;
}

export interface Invocation {
  /** The function's key: its name without the stack's. */
  readonly functionKey: string;
  readonly event: unknown;
  readonly requestId: string;
  readonly context?: InvocationContext;
  /** Removes it from the queue; has no effect once it has started. */
  readonly signal?: AbortSignal;
  /** Called with the id of the process once it has started. */
  readonly onProcess?: (pid: number) => void;
  /** Called with the end of its log once the function has returned or failed. */
  readonly onLog?: (tail: string) => void;
}

export interface ProcessPool {
  /** Invokes a function. @throws Error when it or its process fails, or the pool is stopped */
  invoke(invocation: Invocation): Promise<unknown>;
  /** Loads a function into a process for the next invocation, unless invocations are running. Never rejects. */
  prewarm(functionKey: string): Promise<void>;
  /** Ends idle processes of older code; busy ones end after their invocation. */
  dropOutdated(): void;
  /** Rejects queued invocations and ends every process. */
  stop(): Promise<void>;
}

/** Lifetime of an idle process. */
const IDLE_MS = 60_000;

const STOPPED = 'the process pool is stopping';

/** Extra tries for an invocation whose process ended before starting it, on top of one per warm process: each may have ended unnoticed. */
const TRIES = 3;

/**
 * A bounded number of warm processes, like Lambda's sandboxes: each serves one function, one invocation at a time.
 * Other invocations are queued. When a process ends, only its own invocation fails.
 */
export const createProcessPool = (parts: {
  readonly processes: SlotCounts;
  readonly functions: FunctionSource;
  readonly spare: SpareSandbox;
  /** Time between SIGTERM and SIGKILL. */
  readonly graceMs?: number;
}): ProcessPool => {
  const { processes, functions, spare, graceMs } = parts;
  /** Number of processes that are loading their function. */
  let loading = 0;
  const slots = createSlots(processes, () => loading === 0);
  const all = new Set<Sandbox>();
  /** How many slots are in use. */
  let busy = 0;
  /** Idle processes with their timers; least recently used first. */
  const idle = new Map<Sandbox, NodeJS.Timeout>();
  let isStopped = false;

  const takeIdle = (sandbox: Sandbox): Sandbox => {
    clearTimeout(idle.get(sandbox));
    idle.delete(sandbox);
    return sandbox;
  };

  const endIdle = (sandbox: Sandbox): void => void takeIdle(sandbox).end(graceMs);

  const findIdle = ({ key, file }: FunctionVersion): Sandbox | undefined =>
    [...idle.keys()].findLast(({ version }) => version?.key === key && version.file === file);

  const start = async (version: FunctionVersion): Promise<Sandbox> => {
    if (isStopped) throw new Error(STOPPED);
    const [oldest] = idle.keys();
    if (busy + idle.size > processes.most && oldest !== undefined) endIdle(oldest);
    const sandbox = spare.take();
    all.add(sandbox);
    void sandbox.closed.then(() => {
      all.delete(sandbox);
      takeIdle(sandbox);
    });
    loading++;
    try {
      await sandbox.load(version);
    } catch (error) {
      void sandbox.end(graceMs);
      throw error;
    } finally {
      loading--;
    }
    return sandbox;
  };

  /** Keeps a process for the next invocation. */
  const release = (sandbox: Sandbox): void => {
    const { version, isClosed } = sandbox;
    if (isClosed || version === null) return;
    if (isStopped || !functions.isCurrent(version)) return void sandbox.end(graceMs);
    const timer = setTimeout(() => endIdle(sandbox), IDLE_MS);
    timer.unref();
    idle.set(sandbox, timer);
  };

  const run = async (invocation: Invocation): Promise<unknown> => {
    const { functionKey, event, requestId, context, onProcess, onLog } = invocation;
    const version = await functions.find(functionKey);
    const found = findIdle(version);
    const sandbox = found === undefined ? await start(version) : takeIdle(found);
    const onBegun = () => {
      if (sandbox.pid !== undefined) onProcess?.(sandbox.pid);
    };
    try {
      return await sandbox.invoke(event, requestId, onBegun, context, onLog);
    } finally {
      release(sandbox);
    }
  };

  const withSlot = async <Result>(signal: AbortSignal | undefined, act: () => Promise<Result>) => {
    const releaseSlot = await slots.acquire(signal);
    busy++;
    try {
      return await act();
    } finally {
      busy--;
      releaseSlot();
    }
  };

  return {
    invoke: async (invocation) => {
      await functions.find(invocation.functionKey); // no slot is held during a build
      return withSlot(invocation.signal, async () => {
        for (let triesLeft = processes.most + TRIES; ; triesLeft--) {
          try {
            return await run(invocation);
          } catch (error) {
            if (!(error instanceof NotBegun) || isStopped || triesLeft === 0) throw error;
          }
        }
      });
    },
    prewarm: async (functionKey) => {
      await immediate(); // an invocation that waits for the same build goes first and loads it
      if (busy > 0 || isStopped) return;
      await withSlot(undefined, async () => {
        const version = await functions.find(functionKey);
        if (findIdle(version) === undefined) release(await start(version));
      }).catch(() => {}); // the first invocation reports the error
    },
    dropOutdated: () => {
      for (const sandbox of [...idle.keys()]) {
        if (sandbox.version === null || !functions.isCurrent(sandbox.version)) endIdle(sandbox);
      }
    },
    stop: async () => {
      isStopped = true;
      slots.close(new Error(STOPPED));
      for (const timer of idle.values()) clearTimeout(timer);
      await Promise.all([...all].map((sandbox) => sandbox.end(graceMs)));
    },
  };
};

/**
 * Invokes functions in a pool.
 *
 * @param isLogged - whether the log says which process has an invocation of a function
 */
export const createInvoke =
  (pool: Pick<ProcessPool, 'invoke'>, log: (line: string) => void, isLogged: (key: string) => boolean) =>
  (functionKey: string, invocation: unknown, label: string): Promise<unknown> => {
    const given = invocation as Pick<Invocation, 'event' | 'requestId' | 'context'>;
    const onProcess = (pid: number) => isLogged(functionKey) && log(`${label}: process ${pid}`);
    return pool.invoke({ functionKey, ...given, onProcess });
  };
