import { type Clock, isPlainObject, type Logger } from '@hookloom/plugin-kit';
import type { ExecutionRecord } from '../executions/record/execution-store.ts';
import type { Span } from '../executions/traces/otlp.ts';
import { toSpans } from '../executions/traces/to-spans.ts';
import { traceOf } from '../executions/traces/trace-context.ts';
import { isAppError } from '../shared/errors.ts';

/**
 * Sends spans to the collector.
 *
 * @param until - how long it may wait and try again, in milliseconds since the epoch
 * @returns false if the collector takes none for now
 */
export type SendSpans = (spans: readonly Span[], until: number) => Promise<boolean>;

/** Limits a request, like the batches of OpenTelemetry's SDKs. */
const MAX_SPANS = 512;

/** Less than the timeout of the function, by more than a request takes. */
const BUDGET_MS = 45_000;

/**
 * Sends the spans of executions that have ended, as the stream of their table reports them. What the collector does not take now,
 * Lambda delivers again; then the same spans have the same ids.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
 */
export const createExportTraces =
  ({
    readEnd,
    send,
    ratio,
    clock,
    logger,
  }: {
    /** Reads a record of the stream: see `readEnd`. */
    readonly readEnd: (record: unknown) => Promise<ExecutionRecord | null>;
    readonly send: SendSpans;
    /** How many of the traces that begin here are sent, 0 to 1. */
    readonly ratio: number;
    readonly clock: Pick<Clock, 'now'>;
    readonly logger: Logger;
  }) =>
  async (event: unknown): Promise<BatchResponse> => {
    const until = clock.now() + BUDGET_MS;
    const readSpans = async (record: unknown): Promise<readonly Span[]> => {
      try {
        const ended = await readEnd(record);
        if (ended === null) return [];
        const trace = traceOf(ended, ratio);
        return trace.isSampled ? toSpans(ended, trace) : [];
      } catch (cause) {
        if (isAppError(cause)) throw cause;
        logger.error('An execution is not traced, because its record could not be read.', { cause });
        return [];
      }
    };
    let waiting: Span[] = [];
    let from: string | null = null; // the record with the first of them
    for (const record of recordsOf(event)) {
      for (const span of await readSpans(record)) {
        from ??= sequenceOf(record);
        if (waiting.push(span) < MAX_SPANS) continue;
        if (!(await send(waiting, until))) return toResponse(from);
        [waiting, from] = [[], null];
      }
    }
    const isSent = waiting.length === 0 || (await send(waiting, until));
    return toResponse(isSent ? null : from);
  };

interface BatchResponse {
  /** The first record to deliver again, with all that follow it. */
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

const toResponse = (from: string | null): BatchResponse => ({
  batchItemFailures: from === null ? [] : [{ itemIdentifier: from }],
});

const recordsOf = (event: unknown): readonly unknown[] => {
  const { Records } = isPlainObject(event) ? event : {};
  return Array.isArray(Records) ? Records : [];
};

const sequenceOf = (record: unknown): string => {
  const { dynamodb } = isPlainObject(record) ? record : {};
  return String(isPlainObject(dynamodb) ? dynamodb.SequenceNumber : '');
};
