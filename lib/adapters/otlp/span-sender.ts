import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import {
  type Clock,
  type HttpClient,
  isPlainObject,
  type JsonValue,
  type Logger,
  parseJson,
  readRetryAfter,
} from '@hookloom/plugin-kit';
import { type AttributeValues, type Span, toTracesBody } from '../../executions/traces/otlp.ts';
import { isAppError } from '../../shared/errors.ts';

interface SenderOptions {
  /** The collector's URL for traces. */
  readonly url: string;
  /** Reads the headers that it asks for, which are secret. */
  readonly readHeaders: () => Promise<Readonly<Record<string, string>>>;
  readonly http: HttpClient;
  /** What sends the spans, by OpenTelemetry's conventions for resources. */
  readonly resource: AttributeValues;
  readonly version: string;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  /** A random number from 0 to 1. */
  readonly random: () => number;
  readonly logger: Logger;
}

/** The statuses of an answer after which the same request is sent again; any other one ends it. */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 900_000;
const REQUEST_MS = 10_000;
const MAX_ANSWER_BYTES = 100_000;
const MESSAGE_LENGTH = 200;

const compress = promisify(gzip);

/**
 * Sends spans as OTLP over HTTP, in JSON. A request that the collector can't take now is sent again, after the time that it asks for
 * or a growing one, as long as the caller can wait; the next call waits for what is left of it. What the collector refuses for good
 * is logged and dropped, as the specification says: https://opentelemetry.io/docs/specs/otlp/#otlphttp-response
 *
 * @returns a function that resolves to false if the spans are to be sent again later; it throws AppError `SECRETS_UNAVAILABLE`
 */
export const createSpanSender = ({
  url,
  readHeaders,
  http,
  resource,
  version,
  clock,
  random,
  logger,
}: SenderOptions) => {
  let pausedUntil = 0;
  let failures = 0;

  /** @returns false if the pause lasts longer */
  const endPause = async (until: number): Promise<boolean> => {
    const end = Math.min(pausedUntil, until);
    if (end > clock.now()) await clock.sleep(end - clock.now());
    return pausedUntil <= clock.now();
  };

  /** @returns how long to pause; null if the request is not to be repeated */
  const post = async (body: Uint8Array, count: number): Promise<number | null> => {
    const headers = {
      ...(await readHeaders()),
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    };
    const request = { method: 'POST', url, headers, body, timeoutMs: REQUEST_MS };
    try {
      const answer = await http.request({ ...request, maxResponseBytes: MAX_ANSWER_BYTES });
      const { status } = answer;
      const content = Buffer.from(answer.body).toString();
      if (RETRYABLE.has(status)) {
        logger.warn('The collector does not take traces now.', { status });
        return readRetryAfter(status, answer.headers, clock.now()) ?? nextPause();
      }
      failures = 0;
      if (status >= 200 && status < 300) reportPartial(content, logger);
      else logger.error('The collector refuses traces.', { status, spans: count, answer: cut(content) });
      return null;
    } catch (cause) {
      if (!isAppError(cause)) throw cause;
      logger.warn('The collector can not be reached.', { cause });
      return nextPause();
    }
  };

  const nextPause = (): number => FIRST_PAUSE_MS * 2 ** Math.min(failures++, 5) * (0.5 + random() / 2);

  return async (spans: readonly Span[], until: number): Promise<boolean> => {
    const body = await compress(toTracesBody(spans, resource, version));
    while (await endPause(until)) {
      const pauseMs = await post(body, spans.length);
      if (pauseMs === null) return true;
      pausedUntil = clock.now() + Math.min(pauseMs, MAX_PAUSE_MS);
    }
    return false;
  };
};

/** Reports spans that a collector has left out of a request that it took: https://opentelemetry.io/docs/specs/otlp/#partial-success */
const reportPartial = (content: string, logger: Logger): void => {
  const answer = readAnswer(content);
  const { partialSuccess } = isPlainObject(answer) ? answer : {};
  if (!isPlainObject(partialSuccess)) return;
  const { rejectedSpans = 0, errorMessage = '' } = partialSuccess;
  if (Number(rejectedSpans) === 0 && errorMessage === '') return;
  logger.warn('The collector has left out spans.', {
    rejectedSpans: Number(rejectedSpans),
    answer: cut(String(errorMessage)),
  });
};

/** @returns null for what is not JSON: a collector may answer in its own form */
const readAnswer = (content: string): JsonValue => {
  try {
    return parseJson(content);
  } catch {
    return null;
  }
};

const cut = (text: string): string => text.slice(0, MESSAGE_LENGTH);
