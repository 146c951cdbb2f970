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
  /** Handles invocations that exhausted their retries. By default, express runs go to the sweeper, and others end here. */
  readonly giveUp?: (invocation: AsyncInvocation) => Promise<void>;
}

/**
 * Lambda's asynchronous invocation: stored, then acknowledged, then attempted three times. A failed express run goes to the
 * sweeper, which reads the dead-letter queue. The sweeper's schedule repeats the others.
 */
export const createAsyncInvocations = (
  parts: Parts,
  retryDelaysMs: readonly number[] = RETRY_DELAYS_MS,
): AsyncInvocations => {
  const { store, invoke, log } = parts;
  const closing = new AbortController();

  const run = async (invocation: AsyncInvocation): Promise<void> => {
    const { requestId, name, context } = invocation;
    const event: unknown = JSON.parse(invocation.event);
    const label = labelOf(name, event);
    const prefix = name === 'runExpress' ? `run ${label}` : label;
    for (let { failures, reason } = invocation; ; ) {
      if (failures > retryDelaysMs.length) {
        if (parts.giveUp !== undefined) return parts.giveUp({ ...invocation, failures, reason });
        return giveUp(invocation, reason, prefix);
      }
      if (failures > 0) await sleep(retryDelaysMs[failures - 1], undefined, { signal: closing.signal });
      try {
        await invoke(name, { event, requestId, ...(context && { context }) }, label);
        return;
      } catch (error) {
        closing.signal.throwIfAborted();
        failures++;
        reason = (error as Error).message;
        log(`${prefix}: its process failed (${reason})`);
        await store.saveInvocation({ ...invocation, failures, reason });
      }
    }
  };

  const giveUp = async (
    { requestId, name, event }: AsyncInvocation,
    reason: string,
    prefix: string,
  ): Promise<void> => {
    if (name !== 'runExpress') return log(`${prefix}: gave up after ${retryDelaysMs.length + 1} attempts`);
    const records = [toDeadLetter(event, requestId, reason)];
    // If it fails, the scheduled sweep also finds the execution.
    await invoke('sweep', { event: { Records: records }, requestId: randomUUID() }, 'sweep');
  };

  /**
   * Invokes a function until it succeeds or the attempts end. An invocation interrupted by the end of the service stays
   * in the store.
   */
  const runToEnd = async (invocation: AsyncInvocation): Promise<void> => {
    try {
      await run(invocation).catch((error: Error) => {
        closing.signal.throwIfAborted();
        log(`sweep: ${error.message}`);
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

/** The name of an invocation in the log. */
const labelOf = (name: string, event: unknown): string => {
  if (name === 'dispatch') return 'failure';
  if (name !== 'runExpress') return name;
  const { executionId, poll } = event as {
    readonly executionId?: string;
    readonly poll?: { readonly workflowId: string };
  };
  return executionId ?? `poll of ${poll?.workflowId}`;
};

/** Maximum length of an error message; Lambda truncates longer ones. */
const ERROR_MESSAGE_LENGTH = 1_024;

/**
 * The message that SQS delivers for an event whose attempts failed. `ErrorCode` is the HTTP status of a
 * synchronous invocation of the function, which is 200 for errors of the function.
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
 */
const toDeadLetter = (body: string, requestId: string, reason: string) => ({
  messageId: randomUUID(),
  body,
  eventSource: 'aws:sqs',
  messageAttributes: {
    RequestID: attribute(requestId, 'String'),
    ErrorCode: attribute('200', 'Number'),
    ErrorMessage: attribute(reason.slice(0, ERROR_MESSAGE_LENGTH), 'String'),
  },
});

const attribute = (stringValue: string, dataType: 'String' | 'Number') => ({
  stringValue,
  stringListValues: [],
  binaryListValues: [],
  dataType,
});
