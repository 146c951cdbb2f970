import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Invoke } from './local-engine.ts';

/** Lambda waits for one minute and for two; who tries things out does not. */
const RETRY_DELAYS_MS = [1_000, 2_000];

export interface ExpressRuns {
  /** Resolves when all is done; never rejects, since nobody waits for it. @param event JSON text */
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
    const attempt = (): Promise<boolean> =>
      parts.invoke('runExpress', { event, requestId }, about).then(
        () => true,
        (error: Error) => {
          if (!closing.signal.aborted) parts.log(`run ${about}: its process failed (${error.message})`);
          return false;
        },
      );
    if (await attempt()) return;
    for (const delayMs of retryDelaysMs) {
      await sleep(delayMs, undefined, { signal: closing.signal });
      if (await attempt()) return;
    }
    closing.signal.throwIfAborted();
    const record = { messageId: requestId, body: text, eventSource: 'aws:sqs' };
    await parts.invoke('sweep', { event: { Records: [record] }, requestId }, 'sweep');
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

const nameOf = (event: unknown): string =>
  String((event as { readonly executionId?: unknown } | null)?.executionId ?? 'unknown');
