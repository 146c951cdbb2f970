import type {
  describeRequest,
  describeRequestSummary,
} from '../../lib/webhooks/requests/describe-request.ts';
import type { Verdict } from '../../lib/webhooks/requests/request-record.ts';
import type { Format } from './io.ts';
import { oneLine, type Table } from './table.ts';

export type ListedRequest = ReturnType<typeof describeRequestSummary>;

/** A request as the admin API shows it. */
export type ShownRequest = ReturnType<typeof describeRequest>;

/** How many characters of a body are shown; `--json` prints everything recorded. */
const EXCERPT_LENGTH = 500;

export const toRequestTable = (requests: readonly ListedRequest[]): Table => ({
  titles: ['RECEIVED', 'ID', 'VERDICT', 'REQUEST', 'SENDER', 'KEY', 'WHY'],
  texts: ['REQUEST', 'KEY', 'WHY'],
  rows: requests.map((record) => [
    record.receivedAt,
    record.id,
    { text: record.verdict, format: COLOURS[record.verdict] },
    `${record.method} ${record.path}`,
    record.sender,
    record.key ?? '-',
    toWhy(record),
  ]),
});

export const COLOURS: Readonly<Record<Verdict, Format>> = {
  started: 'green',
  duplicate: 'yellow',
  skipped: 'yellow',
  refused: 'red',
  caught: 'green',
};

const toWhy = ({ refusal, executionId }: ListedRequest): string =>
  refusal === null ? (executionId ?? '') : explainRefusal(refusal);

/** `signature: the timestamp is 9 minutes old`, or the detail that the caller got. */
const explainRefusal = ({ detail, reason }: NonNullable<ListedRequest['refusal']>): string =>
  reason ?? detail;

/** A request as lines: its outcome, what to change, then what was recorded. */
export const toRequestAccount = (record: ShownRequest): string[] => {
  const { refusal, executionId, verdict, receivedAt, requestId, sender, method, path, query, key } = record;
  const address = `${method} ${path}${query === '' ? '' : `?${query}`}`;
  const { body, bodyBytes, missing, headers } = record;
  const excerpt = body.length <= EXCERPT_LENGTH ? body : `${body.slice(0, EXCERPT_LENGTH)}…`;
  const advice = refusal?.advice ?? null;
  const lines = [
    `${record.id}: ${verdict}${executionId === null ? '' : ` ${executionId}`}`,
    ...(refusal === null ? [] : [`  why       ${explainRefusal(refusal)} (${refusal.code})`]),
    ...(advice === null ? [] : [`  change    ${advice}`]),
    `  received  ${receivedAt}, from ${sender}`,
    `  request   ${address}`,
    ...(requestId === '' ? [] : [`  id        ${requestId}, of the gateway`]),
    ...(key === null ? [] : [`  key       ${key}`]),
    ...Object.entries(headers).map(([name, value]) => `  header    ${name}: ${value}`),
    `  body      ${bodyBytes} bytes${excerpt === '' ? '' : `: ${excerpt}`}`,
    ...(missing === null ? [] : [`  It can't be sent again: ${missing}.`]),
  ];
  return lines.map(oneLine);
};

/** What is shown of a request while following. */
export interface LiveLine {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly verdict: Verdict;
  readonly text: string;
}

/**
 * Describes a request in one line, and what to change:
 * `refused POST /orders from 192.0.2.7: signature: the timestamp is 9 minutes old`.
 */
export const toLiveLine = (record: ListedRequest): LiveLine => {
  const { refusal, executionId, verdict, method, path, sender, receivedAt: at } = record;
  const advice = refusal?.advice ?? null;
  const why = refusal === null ? '' : `: ${explainRefusal(refusal)}`;
  const change = advice === null ? '' : ` (${advice})`;
  const run = executionId === null ? '' : ` ${executionId}`;
  const text = `${verdict.padEnd(9)} ${method} ${path} from ${sender}${run}${why}${change}`;
  return { at, verdict, text: oneLine(text) };
};
