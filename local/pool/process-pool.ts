import { setImmediate as immediate } from 'node:timers/promises';
import type { FunctionVersion } from './messages.ts';
import { NotBegun, type Sandbox } from './sandbox.ts';
import { createSlots, type SlotCounts } from './slots.ts';
import type { SpareSandbox } from './spare-sandbox.ts';

/** Finds the functions' code; it can be another one each time. */
export interface FunctionSource {
  /** The newest version, as soon as it is built. @throws {Error} when there is no such function, or no code of it */
  find(key: string): Promise<FunctionVersion>;
  /** Whether new invocations still go to that version. */
  isCurrent(version: FunctionVersion): boolean;
}

export interface Invocation {
  /** The function's key in serverless.yml. */
  readonly functionKey: string;
  readonly event: unknown;
  readonly requestId: string;
  /** Takes it out of the line; what has begun goes on. */
  readonly signal?: AbortSignal;
  /** Told which process is at it, once that has begun. */
  readonly onProcess?: (pid: number) => void;
}

export interface ProcessPool {
  /** Resolves with what the function gives; rejects when it fails, in whichever way. */
  invoke(invocation: Invocation): Promise<unknown>;
  /** Loads a function into a process, for the next invocation, unless there are some at work. Never rejects. */
  prewarm(functionKey: string): Promise<void>;
  /** Ends processes of older code as soon as they are idle. */
  dropOutdated(): void;
  /** Refuses what waits, and ends every process; resolves when they have ended. */
  stop(): Promise<void>;
}

/** How long a process stays when nothing is left for it to do. */
const IDLE_MS = 60_000;

const STOPPED = 'the local service ends';

/** For an invocation whose process ends before it begins; each of the warm ones may have ended unseen before. */
const TRIES = 3;

/**
 * A bounded number of warm processes, each of one function, each with one invocation at a time, as Lambda's sandboxes.
 * What finds no place waits in line. A process that ends takes its own invocation along, and no other.
 */
export const createProcessPool = (parts: {
  readonly processes: SlotCounts;
  readonly functions: FunctionSource;
  readonly spare: SpareSandbox;
  /** For what a process does when it is asked to end. */
  readonly graceMs?: number;
}): ProcessPool => {
  const { processes, functions, spare, graceMs } = parts;
  /** Processes that load their function. */
  let loading = 0;
  const slots = createSlots(processes, () => loading === 0);
  const all = new Set<Sandbox>();
  /** Invocations that have a place. */
  let busy = 0;
  /** With the timer that ends them; least recently used first. */
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

  /** Back to where the next invocation finds it. */
  const giveBack = (sandbox: Sandbox): void => {
    const { version, isClosed } = sandbox;
    if (isClosed || version === null) return;
    if (isStopped || !functions.isCurrent(version)) return void sandbox.end(graceMs);
    const timer = setTimeout(() => endIdle(sandbox), IDLE_MS);
    timer.unref();
    idle.set(sandbox, timer);
  };

  const run = async ({ functionKey, event, requestId, onProcess }: Invocation): Promise<unknown> => {
    const version = await functions.find(functionKey);
    const found = findIdle(version);
    const sandbox = found === undefined ? await start(version) : takeIdle(found);
    const onBegun = () => {
      if (sandbox.pid !== undefined) onProcess?.(sandbox.pid);
    };
    try {
      return await sandbox.invoke(event, requestId, onBegun);
    } finally {
      giveBack(sandbox);
    }
  };

  const withSlot = async <Result>(signal: AbortSignal | undefined, act: () => Promise<Result>) => {
    const release = await slots.acquire(signal);
    busy++;
    try {
      return await act();
    } finally {
      busy--;
      release();
    }
  };

  return {
    invoke: async (invocation) => {
      await functions.find(invocation.functionKey); // what waits for code that is being built takes no place
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
      await immediate(); // what waits for the same code comes first
      if (busy > 0 || isStopped) return; // and loads it
      await withSlot(undefined, async () => {
        const version = await functions.find(functionKey);
        if (findIdle(version) === undefined) giveBack(await start(version));
      }).catch(() => {}); // the first invocation will say what is wrong
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
