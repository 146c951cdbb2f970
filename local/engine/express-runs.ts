import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Invoke } from './local-engine.ts';

/** Lambda waits for one and two minutes: too long for trying things out. */
const RETRY_DELAYS_MS = [1_000, 2_000];

export interface ExpressRuns {
  /** Runs an event (JSON text) to the end, retries included. Never rejects: no caller waits for it. */
  start(event: string): Promise<void>;
  /** Stops further attempts. */
  close(): void;
}

/** Lambda's asynchronous invocation: three attempts, then the sweeper, which reads the dead-letter queue. */
export const createExpressRuns = (
  parts: { readonly invoke: Invoke; readonly log: (line: string) => void },
  retryDelaysMs: readonly number[] = RETRY_DELAYS_MS,
): ExpressRuns => {
  const closing = new AbortController();

  const run = async (text: string): Promise<void> => {
    const event: unknown = JSON.parse(text);
    const requestId = randomUUID();
    const label = nameOf(event);
    /** Null when it succeeded. */
    const attempt = (): Promise<Error | null> =>
      parts.invoke('runExpress', { event, requestId }, label).then(
        () => null,
        (error: Error) => {
          if (!closing.signal.aborted) parts.log(`run ${label}: its process failed (${error.message})`);
          return error;
        },
      );
    let failure = await attempt();
    for (const delayMs of retryDelaysMs) {
      if (failure === null) return;
      await sleep(delayMs, undefined, { signal: closing.signal });
      failure = await attempt();
    }
    if (failure === null) return;
    closing.signal.throwIfAborted();
    const records = [toDeadLetter(text, requestId, failure)];
    await parts.invoke('sweep', { event: { Records: records }, requestId: randomUUID() }, 'sweep');
  };

  return {
    start: (text) =>
      run(text).catch((error: Error) => {
        // The scheduled sweep finds the execution, too.
        if (!closing.signal.aborted) parts.log(`sweep: ${error.message}`);
      }),
    close: () => closing.abort(),
  };
};

/** Lambda truncates longer messages. */
const ERROR_MESSAGE_LENGTH = 1_024;

/**
 * The message that SQS delivers for an event whose attempts have failed. `ErrorCode` is the HTTP status of a
 * synchronous invocation of the function, which is 200 for errors of the function.
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
 */
const toDeadLetter = (body: string, requestId: string, failure: Error) => ({
  messageId: randomUUID(),
  body,
  eventSource: 'aws:sqs',
  messageAttributes: {
    RequestID: attribute(requestId, 'String'),
    ErrorCode: attribute('200', 'Number'),
    ErrorMessage: attribute(failure.message.slice(0, ERROR_MESSAGE_LENGTH), 'String'),
  },
});

const attribute = (stringValue: string, dataType: 'String' | 'Number') => ({
  stringValue,
  stringListValues: [],
  binaryListValues: [],
  dataType,
});

const nameOf = (event: unknown): string =>
  String((event as { readonly executionId?: unknown } | null)?.executionId ?? 'unknown');
