import { advise, explain } from '../lib/webhooks/requests/describe-request.ts';
import { type RequestRecord, toRecordId, type Verdict } from '../lib/webhooks/requests/request-record.ts';
import { oneLine, toColumns, toIso } from './execution-text.ts';

/** How many characters of a body are shown; `--json` prints everything recorded. */
const EXCERPT_LENGTH = 500;

/** One line per request below a header line, in columns as wide as their widest cell. */
export const toRequestTable = (requests: readonly RequestRecord[]): string[] =>
  toColumns([
    ['RECEIVED', 'ID', 'VERDICT', 'REQUEST', 'SENDER', 'KEY', 'WHY'],
    ...requests.map((record) => [
      toIso(record.receivedAt),
      toRecordId(record),
      record.verdict,
      oneLine(`${record.method} ${record.path}`),
      oneLine(record.sender),
      oneLine(record.key ?? '-'),
      oneLine(toWhy(record)),
    ]),
  ]);

const toWhy = ({ refusal, executionId }: RequestRecord): string =>
  refusal === null ? (executionId ?? '') : explain(refusal);

/** A request as lines: its outcome, what to change, then what was recorded. */
export const toRequestAccount = (record: RequestRecord): string[] => {
  const { refusal, executionId, verdict, receivedAt, requestId, sender, method, path, query, key } = record;
  const address = `${method} ${path}${query === '' ? '' : `?${query}`}`;
  const { body, bodyBytes, missing, headers } = record;
  const excerpt = body.length <= EXCERPT_LENGTH ? body : `${body.slice(0, EXCERPT_LENGTH)}…`;
  const advice = refusal === null ? null : advise(refusal);
  const lines = [
    `${toRecordId(record)}: ${verdict}${executionId === null ? '' : ` ${executionId}`}`,
    ...(refusal === null ? [] : [`  why       ${explain(refusal)} (${refusal.code})`]),
    ...(advice === null ? [] : [`  change    ${advice}`]),
    `  received  ${toIso(receivedAt)}, from ${sender}`,
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
  readonly at: number;
  readonly verdict: Verdict;
  readonly text: string;
}

/**
 * Describes a request in one line, and what to change:
 * `refused POST /orders from 192.0.2.7: signature: the timestamp is 9 minutes old`.
 */
export const toLiveLine = (record: RequestRecord): LiveLine => {
  const { refusal, executionId, verdict, method, path, sender, receivedAt: at } = record;
  const advice = refusal === null ? null : advise(refusal);
  const why = refusal === null ? '' : `: ${explain(refusal)}`;
  const change = advice === null ? '' : ` (${advice})`;
  const run = executionId === null ? '' : ` ${executionId}`;
  const text = `${verdict.padEnd(9)} ${method} ${path} from ${sender}${run}${why}${change}`;
  return { at, verdict, text: oneLine(text) };
};
