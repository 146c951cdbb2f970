import { MAX_LIMIT } from '../../lib/executions/lifecycle/list-executions.ts';
import type { ExecutionStore, ExecutionSummary } from '../../lib/executions/record/execution-store.ts';
import { parseFields } from '../../lib/shared/query-fields.ts';
import { listRequests, requestQuery } from '../../lib/webhooks/requests/list-requests.ts';
import { toRecordId, type Verdict } from '../../lib/webhooks/requests/request-record.ts';
import type { RequestStore } from '../../lib/webhooks/requests/request-store.ts';
import { toIso } from '../executions/execution-text.ts';
import { type LiveLine, toLiveLine } from './request-text.ts';

const POLL_MS = 1_000;

/**
 * How far back records are read, so that late ones are shown: clocks differ, and a run of pure nodes is recorded only
 * at its end.
 */
const OVERLAP_MS = 60_000;

/** The terminal and its clock. */
interface ListenIo {
  print(text: string): void;
  paintOut(format: 'green' | 'red' | 'yellow', text: string): string;
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  untilInterrupted(): AbortSignal;
}

interface ListenParts {
  readonly requests: Pick<RequestStore, 'scan'>;
  readonly executions: Pick<ExecutionStore, 'list'>;
}

/**
 * Follows the requests of a workflow until Ctrl+C, one line each: recorded requests, and for all others the executions that
 * they started.
 *
 * @param startedAt - milliseconds since the epoch: only later requests are shown
 */
export const listen = async (
  workflowId: string,
  startedAt: number,
  { requests, executions }: ListenParts,
  io: ListenIo,
): Promise<void> => {
  const stopped = io.untilInterrupted();
  const seen = new Set<string>();
  do {
    const from = Math.max(startedAt, io.now() - OVERLAP_MS);
    const query = { workflowId, from: String(from), limit: String(MAX_LIMIT) };
    const recorded = await listRequests(parseFields(requestQuery, query), requests, io.now());
    const started = await executions.list({ workflowId, from, limit: MAX_LIMIT });
    const lines: LiveLine[] = [];
    const add = (ids: readonly string[], line: LiveLine): void => {
      if (!ids.some((id) => seen.has(id))) lines.push(line);
      for (const id of ids) seen.add(id);
    };
    for (const record of recorded.requests) {
      const ofRun = record.verdict === 'started' && record.executionId !== null ? [record.executionId] : [];
      add([toRecordId(record), ...ofRun], toLiveLine(record));
    }
    for (const execution of started.executions) add([execution.executionId], toStartLine(execution));
    for (const { at, verdict, text } of lines.sort((a, b) => a.at - b.at))
      io.print(`${toIso(at)}  ${io.paintOut(COLOURS[verdict], text)}`);
    await io.sleep(POLL_MS, stopped).catch(() => {});
  } while (!stopped.aborted);
};

const toStartLine = ({ executionId, startedAt: at, status }: ExecutionSummary): LiveLine => ({
  at,
  verdict: 'started',
  text: `${'started'.padEnd(9)} ${executionId}, ${status}`,
});

const COLOURS: Readonly<Record<Verdict, 'green' | 'red' | 'yellow'>> = {
  started: 'green',
  duplicate: 'yellow',
  skipped: 'yellow',
  refused: 'red',
};
