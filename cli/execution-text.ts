import type { JsonValue } from '@hookloom/plugin-kit';
import type { ComparedNode, ExecutionComparison } from '../lib/admin/compare-executions.ts';
import type { NodeFailure, NodeRecord } from '../lib/engine/result.ts';
import type {
  ExecutionRecord,
  ExecutionStatus,
  ExecutionSummary,
} from '../lib/executions/record/execution-store.ts';

/** How many characters of a node's input and outputs are shown; `--json` prints all. */
const EXCERPT_LENGTH = 200;

/** One line per execution below a header line. */
export const toTable = (executions: readonly ExecutionSummary[]): string[] =>
  toColumns([
    ['STARTED', 'ID', 'WORKFLOW', 'VERSION', 'STATUS', 'DURATION'],
    ...executions.map((execution) => [
      toIso(execution.startedAt),
      execution.executionId,
      execution.workflowId,
      String(execution.workflowVersion),
      toStatus(execution),
      execution.endedAt === null ? '-' : formatDuration(execution.endedAt - execution.startedAt),
    ]),
  ]);

/** Formats rows of cells as lines, with columns as wide as their widest cell. */
export const toColumns = (table: readonly (readonly string[])[]): string[] => {
  const widthOf = (column: number): number => Math.max(...table.map((row) => row[column]?.length ?? 0));
  const widths = table[0]?.map((_title, column) => widthOf(column)) ?? [];
  return table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
};

/**
 * An execution as lines: a heading, then its nodes with the recorded data.
 * @param reasons - one for each node, or undefined
 */
export const toAccount = (
  record: ExecutionRecord,
  reasons: readonly (string | undefined)[] = [],
): string[] => {
  const { trigger, retryOf, failure, endedAt, startedAt, invocations, crashes, nodesOmitted } = record;
  const ended = crashes > 0 ? `, the last ${crashes} of which ended early` : '';
  const processes = invocations > 1 ? `, in ${invocations} processes${ended}` : '';
  const from = retryOf?.fromNodeId == null ? '' : `, from ${retryOf.fromNodeId}`;
  return [
    `${record.executionId}: ${toStatus(record)}`,
    `  workflow  ${record.workflowId}, version ${record.workflowVersion} (${record.mode}${processes})`,
    `  trigger   ${trigger.nodeId} (${trigger.type})`,
    `  started   ${toIso(startedAt)}`,
    ...(endedAt === null
      ? []
      : [`  ended     ${toIso(endedAt)}, after ${formatDuration(endedAt - startedAt)}`]),
    ...(retryOf === null ? [] : [`  retry of  ${retryOf.executionId}${from}`]),
    ...(failure === null ? [] : [`  failure   ${describeFailure(failure)}`]),
    ...record.nodes.flatMap((node, at) => toNodeLines(node, reasons[at])),
    ...(nodesOmitted > 0 ? [`  ${nodesOmitted} more entries omitted because of their size`] : []),
  ];
};

/** A comparison as lines: what differs as a whole, then node by node what differs and why. */
export const toComparison = ({ from, to, counts, nodes, nodesOmitted }: ExecutionComparison): string[] => {
  const differing = nodes.filter(({ differs }) => differs.length > 0);
  const lacking = [from, to].filter(({ hasData }) => !hasData).map(({ executionId }) => executionId);
  return [
    `${to.executionId}, compared with ${from.executionId} of ${from.startedAt}`,
    `  version   ${toPair(`${from.workflowVersion}`, `${to.workflowVersion}`)}`,
    `  status    ${toPair(from.status, to.status)}`,
    `  took      ${toPair(toTaken(from), toTaken(to))}`,
    `  nodes     ${counts.same} the same, ${counts.different} different`,
    ...(lacking.length === 0
      ? []
      : [`  data      not compared: none was recorded for ${lacking.join(' and ')} (recordData)`]),
    ...differing.flatMap(toDifference),
    ...(nodesOmitted > 0 ? [`  ${nodesOmitted} more nodes omitted because of their size`] : []),
  ];
};

const toPair = (from: string, to: string): string => (from === to ? to : `${to}, instead of ${from}`);

const toTaken = ({ durationMs }: { readonly durationMs: number | null }): string =>
  durationMs === null ? 'has not ended' : formatDuration(durationMs);

const ASPECTS = {
  missing: 'only in one',
  status: 'other status',
  branch: 'other branch',
  data: 'other data',
  failure: 'other failure',
  slower: 'slower',
} as const;

const toDifference = (node: ComparedNode): string[] => {
  const { differs, from, to, changes = [], changesOmitted = 0 } = node;
  const omitted = Math.max(0, changes.length - MAX_CHANGES) + changesOmitted;
  const title = `${toNodeName(node)} (${node.type}): ${differs.map((aspect) => ASPECTS[aspect]).join(', ')}`;
  return [
    `  ${oneLine(title)}`,
    `      was  ${describeRun(from)}`,
    `      is   ${describeRun(to)}`,
    ...changes.slice(0, MAX_CHANGES).map((change) => `      data ${describeChange(change)}`),
    ...(omitted > 0 ? [`      data ${omitted} more values differ`] : []),
  ];
};

const describeRun = (run: ComparedNode['from']): string => {
  if (run === null || run === undefined) return 'not in the record';
  const { status, durationMs, why, failure, outputs = [] } = run;
  const took = status === 'succeeded' || status === 'failed' ? ` after ${formatDuration(durationMs)}` : '';
  const failed = failure === undefined ? '' : `: ${failure.name}: ${failure.message}`;
  const on = outputs.length === 0 ? '' : `, on ${outputs.map((output) => `"${output}"`).join(', ')}`;
  const reason = why === undefined ? '' : `; ${why}`;
  // The reason of a skipped node begins with the status.
  return oneLine(status === 'skipped' && why !== undefined ? why : `${status}${took}${failed}${on}${reason}`);
};

/** How many values that differ are shown of a node; `--json` prints more. */
const MAX_CHANGES = 5;
/** How many characters of a value that differs are shown. */
const CHANGE_LENGTH = 60;

const describeChange = ({ path, from, to }: NonNullable<ComparedNode['changes']>[number]): string => {
  const [before, after] = [from, to].map((value) =>
    value === undefined ? 'nothing' : toExcerpt(value, CHANGE_LENGTH),
  );
  return oneLine(`${path}: ${after}, instead of ${before}`);
};

/** The status, with the reason if it is held. */
const toStatus = ({ status, held }: Pick<ExecutionSummary, 'status' | 'held'>): string =>
  held === null ? status : `${status} (${held})`;

const toNodeLines = (node: NodeRecord, why: string | undefined): string[] => [
  `  ${describeNode(node)}`,
  ...(why === undefined ? [] : [`      why  ${oneLine(why)}`]),
  ...(node.usage === undefined ? [] : [`      used ${toExcerpt(node.usage)}`]),
  ...(node.input === undefined ? [] : [`      in   ${toExcerpt(node.input)}`]),
  ...(node.outputs === undefined ? [] : [`      out  ${toExcerpt(node.outputs)}`]),
];

/** A value as JSON in one line, cut. */
const toExcerpt = (value: JsonValue, length = EXCERPT_LENGTH): string => {
  const text = oneLine(JSON.stringify(value));
  return text.length <= length ? text : `${text.slice(0, length)}…`;
};

/**
 * Describes a node run in one line, such as `each/0/2/fetch (httpRequest) failed after 1.2 s, 3 attempts: HttpError: …`
 */
export const describeNode = (node: NodeRecord): string => {
  const { type, status, durationMs, attempts, failure } = node;
  const hasRun = status === 'succeeded' || status === 'failed';
  const took = hasRun ? ` after ${formatDuration(durationMs)}` : '';
  const tried = attempts > 1 ? `, ${attempts} attempts` : '';
  const why = failure === undefined ? '' : `: ${failure.name}: ${failure.message}`;
  return oneLine(`${toNodeName(node)} (${type}) ${status}${took}${tried}${why}`);
};

const toNodeName = ({
  within,
  nodeId,
  iteration,
}: Pick<NodeRecord, 'nodeId' | 'iteration'> & { readonly within?: string }): string =>
  `${within === undefined ? '' : `${within}/`}${nodeId}${iteration === 0 ? '' : `#${iteration}`}`;

export const describeFailure = ({ nodeId, name, message }: NodeFailure): string =>
  oneLine(`at ${nodeId}: ${name}: ${message}`);

/** Control characters in external data could move the terminal's cursor or fake a line. */
export const oneLine = (text: string): string => text.replace(/\p{Cc}+/gu, ' ');

/** Formats a duration: `850 ms`, `12.3 s`, `4 min 5 s`, `2 h 10 min`, `3 d 4 h`. */
export const formatDuration = (ms: number): string => {
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  const seconds = Math.floor(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
};

export const toIso = (ms: number): string => new Date(ms).toISOString();

/** @returns null for a status that is neither good nor bad */
export const colourOf = (
  status: ExecutionStatus | NodeRecord['status'],
): 'green' | 'red' | 'yellow' | null => {
  if (status === 'succeeded') return 'green';
  if (status === 'failed' || status === 'cancelled' || status === 'timedOut') return 'red';
  return status === 'waiting' ? 'yellow' : null;
};
