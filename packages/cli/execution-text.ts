import { isPlainObject, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import type { NodeFailure, NodeRecord } from '../../lib/engine/result.ts';
import type { describeCost, describePrices } from '../../lib/executions/cost/describe-cost.ts';
import type { ComparedNode, ExecutionComparison } from '../../lib/executions/explain/compare-executions.ts';
import type { describeExplained } from '../../lib/executions/explain/explain-execution.ts';
import type { describeSummary } from '../../lib/executions/record/describe-execution.ts';
import type { ExecutionStatus } from '../../lib/executions/record/execution-store.ts';
import type { Format } from './io.ts';
import { oneLine, type Table } from './table.ts';

export type ListedExecution = ReturnType<typeof describeSummary>;

/** An execution as the admin API shows it. */
export type ShownExecution = ReturnType<typeof describeExplained> & { readonly cost: ShownCost | null };

type ShownCost = ReturnType<typeof describeCost> & { readonly prices: ReturnType<typeof describePrices> };
export type ShownNode = ShownExecution['nodes'][number];

/** How many characters of a node's input and outputs are shown; `--json` prints all. */
const EXCERPT_LENGTH = 200;

export const toExecutionTable = (executions: readonly ListedExecution[]): Table => ({
  titles: ['STARTED', 'ID', 'WORKFLOW', 'VERSION', 'STATUS', 'DURATION'],
  rows: executions.map((execution) => [
    execution.startedAt,
    execution.executionId,
    execution.workflowId,
    String(execution.workflowVersion),
    { text: toStatus(execution), format: colourOf(execution.status) },
    execution.durationMs === null ? '-' : formatDuration(execution.durationMs),
  ]),
});

/**
 * An execution as lines: a heading, then its nodes with the recorded data.
 * @param hasReasons - whether to add why each node did what it did
 */
export const toAccount = (record: ShownExecution, hasReasons = false): string[] => {
  const { trigger, retryOf, failure, endedAt, durationMs, startedAt, invocations, crashes, nodesOmitted } =
    record;
  const { failedItems } = record;
  const ended = crashes > 0 ? `, the last ${crashes} of which ended early` : '';
  const processes = invocations > 1 ? `, in ${invocations} processes${ended}` : '';
  const only = retryOf?.only === undefined ? '' : ', only its failed items';
  const from = retryOf?.fromNodeId == null ? only : `, from ${retryOf.fromNodeId}`;
  return [
    `${record.executionId}: ${toStatus(record)}`,
    `  workflow  ${record.workflowId}, version ${record.workflowVersion} (${record.mode}${processes})`,
    `  trigger   ${trigger.nodeId} (${trigger.type})`,
    `  started   ${startedAt}`,
    ...(endedAt === null ? [] : [`  ended     ${endedAt}, after ${formatDuration(durationMs ?? 0)}`]),
    ...(retryOf === null ? [] : [`  retry of  ${retryOf.executionId}${from}`]),
    ...(record.retriedBy === null ? [] : [`  retried   by ${record.retriedBy}`]),
    ...(record.editedInput === null ? [] : toEditLines(record.editedInput)),
    ...(failure === null ? [] : [`  failure   ${describeFailure(failure)}`]),
    ...(failedItems === 0 || endedAt === null
      ? []
      : [
          `  items     ${failedItems === 1 ? '1 has' : `${failedItems} have`} failed; to run only ${failedItems === 1 ? 'it' : 'them'} again: execution retry ${record.executionId} --failed-items`,
        ]),
    ...(endedAt === null ? [] : record.cost === null ? ['  cost      unknown'] : toCostLines(record.cost)),
    ...record.nodes.flatMap((node) => toNodeLines(node, hasReasons ? whyOf(node) : undefined)),
    ...(nodesOmitted > 0 ? [`  ${nodesOmitted} more entries omitted because of their size`] : []),
  ];
};

/** What it cost, and of what. */
export const toCostLines = ({ dollars, reportedDollars, used, tokens, prices }: ShownCost): string[] => {
  const amounts = COUNTED.map(([name, unit]) => [used[name], unit] as const);
  const counted = [
    ...amounts,
    ...Object.entries(tokens).map(([name, amount]) => [amount, toTokens(name)] as const),
  ];
  const reported = reportedDollars > 0 ? `, ${formatDollars(reportedDollars)} of it for models` : '';
  return [
    `  cost      ${formatDollars(dollars)}${reported}, at list prices of ${prices.region}${prices.assumed.length > 0 ? ' and us-east-1' : ''}`,
    `  used      ${counted
      .filter(([amount]) => amount > 0)
      .map(
        ([amount, unit]) =>
          `${Number(amount.toFixed(3)).toLocaleString('en')} ${amount === 1 ? unit.slice(0, -1) : unit}`,
      )
      .join(', ')}`,
  ];
};

const COUNTED = [
  ['writeUnits', 'write units'],
  ['readUnits', 'read units'],
  ['durableOperations', 'durable operations'],
  ['invocations', 'invocations'],
  ['gigabyteSeconds', 'GB-seconds'],
] as const;

/** `inputTokens` as `input tokens`. */
const toTokens = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Formats dollars: `$0.0000042`, `$1.27`. */
export const formatDollars = (dollars: number): string =>
  `$${dollars >= 1 ? dollars.toFixed(2) : dollars.toLocaleString('en', { maximumSignificantDigits: 2, maximumFractionDigits: 12 })}`;

/** What was edited in the input of an execution that repeats another one. */
const toEditLines = ({ by, changes, changesOmitted = 0 }: NonNullable<ShownExecution['editedInput']>) => [
  `  edited    ${by === null ? 'its input' : `by ${by}`}`,
  ...changes.map((change) => `      ${describeChange(change)}`),
  ...(changesOmitted > 0 ? [`      ${changesOmitted} more values differ`] : []),
];

/** A comparison as lines: what differs as a whole, then node by node what differs and why. */
export const toComparison = ({ from, to, counts, nodes, nodesOmitted }: ExecutionComparison): string[] => {
  const differing = nodes.filter(({ differs }) => differs.length > 0);
  const starts = nodes.filter(({ isStart }) => isStart === true).length;
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
    ...(starts === 0
      ? []
      : [
          `  data      of ${starts} ${starts === 1 ? 'node' : 'nodes'} not compared in full: only the start of values above 2 kB is recorded`,
        ]),
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
  const [before, after] = [from, to].map((value) => (value === undefined ? 'nothing' : toShown(value)));
  return oneLine(`${path}: ${after}, instead of ${before}`);
};

/** A value that differs; of a large one, the part that the API has taken: see `shortenPair`. */
const toShown = (value: JsonValue): string => {
  if (!isPlainObject(value)) return toExcerpt(value, CHANGE_LENGTH);
  const { $bytes, $start, $at, $part } = value as JsonObject;
  const size = typeof $bytes === 'number' ? `${$bytes.toLocaleString('en')} bytes` : 'large';
  if (typeof $part === 'string' && typeof $at === 'number')
    return `…${toExcerpt($part, CHANGE_LENGTH)} (from character ${$at.toLocaleString('en')}, ${size})`;
  if (typeof $start === 'string') return `${oneLine($start.slice(0, CHANGE_LENGTH))}… (${size})`;
  return toExcerpt(value, CHANGE_LENGTH);
};

/** The status, with the reason if it is held. */
const toStatus = ({ status, held }: ListedExecution): string =>
  held === undefined ? status : `${status} (${held})`;

const whyOf = (node: ShownNode): string | undefined => ('why' in node ? node.why.text : undefined);

const toNodeLines = (node: ShownNode, why: string | undefined): string[] => [
  `  ${describeNode(node)}`,
  ...(why === undefined ? [] : [`      why  ${oneLine(why)}`]),
  ...(node.failedItems === undefined ? [] : [`      failed items ${listIndexes(node.failedItems)}`]),
  ...(node.usage === undefined ? [] : [`      used ${toExcerpt(node.usage)}`]),
  ...(node.input === undefined ? [] : [`      in   ${toExcerpt(node.input)}`]),
  ...(node.outputs === undefined ? [] : [`      out  ${toExcerpt(node.outputs)}`]),
];

/** The positions of failed items, such as `3, 17 and 40 more`. */
const listIndexes = ({ count, indexes }: NonNullable<ShownNode['failedItems']>): string =>
  `${indexes.join(', ')}${count > indexes.length ? ` and ${count - indexes.length} more` : ''}`;

/** A value as JSON in one line, cut. */
const toExcerpt = (value: JsonValue, length = EXCERPT_LENGTH): string => {
  const text = oneLine(JSON.stringify(value));
  return text.length <= length ? text : `${text.slice(0, length)}…`;
};

/**
 * Describes a node run in one line, such as `each/0/2/fetch (httpRequest) failed after 1.2 s, 3 attempts: HttpError: …`
 */
export const describeNode = (node: ShownNode): string => {
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

export const describeFailure = ({
  nodeId,
  name,
  message,
}: Pick<NodeFailure, 'nodeId' | 'name' | 'message'>): string => oneLine(`at ${nodeId}: ${name}: ${message}`);

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
export const colourOf = (status: ExecutionStatus | NodeRecord['status']): Format | null => {
  if (status === 'succeeded') return 'green';
  if (status === 'failed' || status === 'cancelled' || status === 'timedOut') return 'red';
  return status === 'waiting' ? 'yellow' : null;
};
