import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Invoke } from './local-engine.ts';

/** Lambda waits for one minute and for two; who tries things out does not. */
const RETRY_DELAYS_MS = [1_000, 2_000];

export interface ExpressRuns {
  /** Resolves when all is done; never rejects, since no caller waits for it. @param event JSON text */
  start(event: string): Promise<void>;
  /** No process is started any more. */
  close(): void;
}

/**
 * Does what Lambda does with an asynchronous invocation: calls the function; twice more when that fails; then hands the
 * event to the sweeper, as the dead-letter queue would.
 */
export const createExpressRuns = (
  parts: { readonly invoke: Invoke; readonly log: (line: string) => void },
  retryDelaysMs: readonly number[] = RETRY_DELAYS_MS,
): ExpressRuns => {
  const closing = new AbortController();

  const run = async (text: string): Promise<void> => {
    const event: unknown = JSON.parse(text);
    const requestId = randomUUID();
    const about = nameOf(event);
    /** Null when it succeeded. */
    const attempt = (): Promise<Error | null> =>
      parts.invoke('runExpress', { event, requestId }, about).then(
        () => null,
        (error: Error) => {
          if (!closing.signal.aborted) parts.log(`run ${about}: its process failed (${error.message})`);
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
        // The schedule's sweep looks after it, too.
        if (!closing.signal.aborted) parts.log(`sweep: ${error.message}`);
      }),
    close: () => closing.abort(),
  };
};

/** Lambda cuts the message there. */
const ERROR_MESSAGE_LENGTH = 1_024;

/**
 * What SQS delivers of an event that Lambda has given up: `ErrorCode` is the status with which the function's error
 * would be answered to a synchronous caller, and that is 200.
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
