import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { InvocationContext } from '../pool/messages.ts';
import type { Invoke } from './local-engine.ts';
import type { AsyncInvocation, StateStore } from './state-store.ts';

export interface AsyncInvocations {
  /**
   * Accepts an event (JSON text), which from then on survives the process.
   *
   * @returns a promise that resolves when it has ended, retries included, and never rejects
   */
  accept(
    name: string,
    event: string,
    context?: InvocationContext,
  ): Promise<{ readonly ended: Promise<void> }>;
  /**
   * Loads the invocations of a previous engine. Call it before any is accepted.
   * @returns a function that resumes them
   */
  load(): Promise<() => void>;
  /** Closes the queue: no further attempts are made. */
  close(): void;
}

/** Delays between attempts. Lambda's own, one and two minutes, are too long for trying things out. */
const RETRY_DELAYS_MS = [1_000, 2_000];

interface Parts {
  readonly store: Pick<StateStore, 'saveInvocation' | 'removeInvocation' | 'loadInvocations'>;
  readonly invoke: Invoke;
  readonly log: (line: string) => void;
  /** Handles invocations that exhausted their retries; by default, they are logged. */
  readonly giveUp?: (invocation: AsyncInvocation) => Promise<void>;
  /** Names an invocation in the log; by default, after its function. */
  readonly labelOf?: (name: string, event: unknown) => string;
}

/** Lambda's asynchronous invocation: stored, then acknowledged, then attempted three times. */
export const createAsyncInvocations = (
  parts: Parts,
  retryDelaysMs: readonly number[] = RETRY_DELAYS_MS,
): AsyncInvocations => {
  const { store, invoke, log, labelOf = (name) => name } = parts;
  const closing = new AbortController();

  const run = async (invocation: AsyncInvocation): Promise<void> => {
    const { requestId, name, context } = invocation;
    const event: unknown = JSON.parse(invocation.event);
    const label = labelOf(name, event);
    for (let { failures, reason } = invocation; ; ) {
      if (failures > retryDelaysMs.length) {
        if (parts.giveUp === undefined) return log(`${label}: gave up after ${failures} attempts`);
        return parts.giveUp({ ...invocation, failures, reason });
      }
      if (failures > 0) await sleep(retryDelaysMs[failures - 1], undefined, { signal: closing.signal });
      try {
        await invoke(name, { event, requestId, ...(context && { context }) }, label);
        return;
      } catch (error) {
        closing.signal.throwIfAborted();
        failures++;
        reason = (error as Error).message;
        log(`${label}: its process failed (${reason})`);
        await store.saveInvocation({ ...invocation, failures, reason });
      }
    }
  };

  /**
   * Invokes a function until it succeeds or the attempts end. An invocation interrupted by the end of this process stays
   * in the store.
   */
  const runToEnd = async (invocation: AsyncInvocation): Promise<void> => {
    try {
      await run(invocation).catch((error: Error) => {
        closing.signal.throwIfAborted();
        log(error.message);
      });
      await store.removeInvocation(invocation.requestId);
    } catch (error) {
      if (!closing.signal.aborted) log(`${invocation.name}: ${(error as Error).message}`);
    }
  };

  return {
    accept: async (name, event, context) => {
      const invocation = {
        requestId: randomUUID(),
        name,
        event,
        failures: 0,
        reason: '',
        ...(context && { context }),
      };
      await store.saveInvocation(invocation);
      return { ended: runToEnd(invocation) };
    },
    load: async () => {
      const loaded = await store.loadInvocations();
      return () => {
        for (const invocation of loaded) void runToEnd(invocation);
      };
    },
    close: () => closing.abort(),
  };
};
