import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { nodeKeyOf } from '../../engine/node-run.ts';
import { isOpen, type NodeFailure, type NodeRecord } from '../../engine/result.ts';
import { type Change, compareValues, membersOfAll } from '../../shared/compare-values.ts';
import { EXECUTIONS_NOT_COMPARABLE, SUCCESS_NOT_FOUND } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import { type KnownStart, parseJsonStart } from '../../shared/json-start.ts';
import { findReconciledExecution } from '../lifecycle/finish-execution.ts';
import type { FinishPorts, Ports } from '../ports.ts';
import { describeSummary } from '../record/describe-execution.ts';
import type { ExecutionRecord, ListPosition } from '../record/execution-store.ts';
import { isCut, shortenPair } from '../record/view-data.ts';
import { type ExplainedExecution, type ExplainedNode, explainExecution } from './explain-execution.ts';

/** What a node run of one execution has differently from the same node run of another. */
type Aspect = 'missing' | 'status' | 'branch' | 'data' | 'failure' | 'slower';

/** One side of a comparison. */
interface ComparedRun {
  readonly status: NodeRecord['status'];
  readonly durationMs: number;
  /** Absent if they are unknown. */
  readonly outputs?: readonly string[];
  /** The reason, for people. */
  readonly why?: string;
  readonly failure?: Pick<NodeFailure, 'name' | 'message'>;
}

export interface ComparedNode {
  readonly nodeId: string;
  readonly within?: string;
  readonly type: string;
  readonly iteration: number;
  /** Empty if the node runs are the same. */
  readonly differs: readonly Aspect[];
  /** Both sides, unless they are the same; null on the side that lacks the node run. */
  readonly from?: ComparedRun | null;
  readonly to?: ComparedRun | null;
  readonly changes?: readonly Change[];
  /** How many further values differ. */
  readonly changesOmitted?: number;
  /** Whether the records have only the start of its data, so that what follows was not compared. */
  readonly isStart?: true;
}

/** The executions as lists show them, and whether their records have data of nodes. */
type ComparedExecution = ReturnType<typeof describeSummary> & { readonly hasData: boolean };

export interface ExecutionComparison {
  readonly from: ComparedExecution;
  readonly to: ComparedExecution;
  readonly counts: { readonly same: number; readonly different: number };
  /** In the order of `to`, then those that only `from` has. With very many node runs, only those that differ. */
  readonly nodes: readonly ComparedNode[];
  readonly nodesOmitted: number;
}

/**
 * Compares an execution with another one of its workflow.
 * @param otherId - null for the workflow's last success
 * @throws AppError `EXECUTION_NOT_FOUND` | `SUCCESS_NOT_FOUND` | `EXECUTIONS_NOT_COMPARABLE` | `STORE_UNAVAILABLE`
 */
export const compareWith = async (
  executionId: string,
  otherId: string | null,
  ports: FinishPorts & Pick<Ports, 'workflows' | 'clock'>,
): Promise<ExecutionComparison> => {
  const record = await findReconciledExecution(executionId, ports);
  const other = await findReconciledExecution(otherId ?? (await findLastSuccess(record, ports)), ports);
  const { workflowId } = record;
  if (other.workflowId !== workflowId)
    throw new AppError(EXECUTIONS_NOT_COMPARABLE, { executionId, workflowId, other: other.workflowId });
  const [from, to] = await Promise.all([explainExecution(other, ports), explainExecution(record, ports)]);
  return compareExecutions(from, to);
};

/** Pages of 1,000 records that are searched for a success. */
const MAX_PAGES = 10;

/** @returns its id. @throws AppError `SUCCESS_NOT_FOUND` */
const findLastSuccess = async (
  { executionId, workflowId }: ExecutionRecord,
  { executions }: Pick<Ports, 'executions'>,
): Promise<string> => {
  let after: ListPosition | null = null;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const query = { workflowId, statuses: ['succeeded'], isTrial: false, limit: 2 } as const;
    const page = await executions.list(after === null ? query : { ...query, after });
    const found = page.executions.find((one) => one.executionId !== executionId);
    if (found !== undefined) return found.executionId;
    if (page.next === null) break;
    after = page.next;
  }
  throw new AppError(SUCCESS_NOT_FOUND, { workflowId });
};

/** With more node runs, those that are the same are only counted. */
const MAX_LISTED = 1_000;
/** Length of all nodes as JSON. */
const MAX_LENGTH = 500_000;

/**
 * Compares two executions of a workflow, node run by node run. Bounded; what it shows is redacted by the records.
 * @internal
 */
export const compareExecutions = (from: ExplainedExecution, to: ExplainedExecution): ExecutionComparison => {
  const before = byKey(from);
  const after = byKey(to);
  const compared = [...new Set([...after.keys(), ...before.keys()])].map((key) =>
    compareNodes(before.get(key) ?? null, after.get(key) ?? null),
  );
  const different = compared.filter(({ differs }) => differs.length > 0);
  const listed = compared.length > MAX_LISTED ? different : compared;
  let left = MAX_LENGTH;
  const nodes = listed.filter((node) => {
    left -= JSON.stringify(node).length;
    return left >= 0;
  });
  return {
    from: describeCompared(from),
    to: describeCompared(to),
    counts: { same: compared.length - different.length, different: different.length },
    nodes,
    nodesOmitted: listed.length - nodes.length,
  };
};

const byKey = ({ nodes }: ExplainedExecution): ReadonlyMap<string, ExplainedNode> =>
  new Map(nodes.map((node) => [nodeKeyOf(node.record), node]));

const describeCompared = ({ record }: ExplainedExecution): ComparedExecution => ({
  ...describeSummary(record),
  hasData: record.nodes.some(({ input, outputs }) => input !== undefined || outputs !== undefined),
});

const compareNodes = (from: ExplainedNode | null, to: ExplainedNode | null): ComparedNode => {
  const { nodeId, within, type, iteration } = ((to ?? from) as ExplainedNode).record;
  const name = { nodeId, ...(within === undefined ? {} : { within }), type, iteration };
  const sides = { from: from && toRun(from), to: to && toRun(to) };
  if (from === null || to === null) return { ...name, differs: ['missing'], ...sides };
  const isOtherBranch = hasOtherBranch(from, to);
  const changes = findChanges(comparedDataOf(from, isOtherBranch), comparedDataOf(to, isOtherBranch));
  const shown = changes.slice(0, MAX_CHANGES);
  const isStart = hasStart(from, to) ? { isStart: true as const } : {};
  const differs = (
    [
      ['status', from.record.status !== to.record.status],
      ['branch', isOtherBranch],
      ['data', changes.length > 0],
      ['failure', hasOtherFailure(from.record, to.record)],
      ['slower', isSlower(from.record, to.record)],
    ] as const
  ).flatMap(([aspect, isDifferent]) => (isDifferent ? [aspect] : []));
  if (differs.length === 0) return { ...name, differs, ...isStart };
  return {
    ...name,
    differs,
    ...sides,
    ...isStart,
    ...(shown.length === 0 ? {} : { changes: shown.map((change) => shortenPair(change, withoutTime)) }),
    ...(changes.length === shown.length ? {} : { changesOmitted: changes.length - shown.length }),
  };
};

/** Whether data that both have is known by its start alone. */
const hasStart = ({ record: from }: ExplainedNode, { record: to }: ExplainedNode): boolean =>
  (['input', 'outputs'] as const).some(
    (name) => from[name] !== undefined && to[name] !== undefined && (isCut(from[name]) || isCut(to[name])),
  );

const toRun = ({ record, why, delivered }: ExplainedNode): ComparedRun => {
  const { status, durationMs, failure } = record;
  return {
    status,
    durationMs,
    ...(delivered === null ? {} : { outputs: delivered }),
    ...(why === null ? {} : { why: why.text }),
    ...(failure === undefined ? {} : { failure: { name: failure.name, message: failure.message } }),
  };
};

const hasOtherBranch = (
  { record, delivered: from }: ExplainedNode,
  { record: { status }, delivered: to }: ExplainedNode,
): boolean => record.status === status && from !== null && to !== null && from.join('\n') !== to.join('\n');

const hasOtherFailure = ({ failure: from }: NodeRecord, { failure: to }: NodeRecord): boolean =>
  from !== undefined && to !== undefined && (from.name !== to.name || from.message !== to.message);

/** Smaller differences are within what varies from run to run. */
const SLOWER = { factor: 1.5, ms: 100 };

const isSlower = (from: NodeRecord, to: NodeRecord): boolean =>
  !isOpen(from) &&
  !isOpen(to) &&
  to.durationMs >= from.durationMs * SLOWER.factor &&
  to.durationMs - from.durationMs >= SLOWER.ms;

/** Which data of a node run is compared: outputs of different branches have different names anyway. */
const comparedDataOf = (
  { record: { input, outputs } }: ExplainedNode,
  isOtherBranch: boolean,
): Readonly<Record<'input' | 'outputs', JsonValue | undefined>> => ({
  input,
  outputs: isOtherBranch ? undefined : outputs,
});

/** Values that differ are listed for each node run up to this number, and then counted. */
const MAX_CHANGES = 20;

/** The changes of what both records have. Records bound each value, and so the number of changes. */
const findChanges = (
  from: ReturnType<typeof comparedDataOf>,
  to: ReturnType<typeof comparedDataOf>,
): readonly Change[] => {
  const [ofInput = [], ofOutputs = []] = (['input', 'outputs'] as const).map((name) => {
    const [before, after] = [from[name], to[name]];
    const changes =
      before === undefined || after === undefined ? [] : compareRecorded(before, after, `/${name}`);
    return changes.filter(({ path }) => !VARYING.test(path));
  });
  const known = new Set(ofInput.map((change) => toContent(change, INPUT)));
  return [...ofInput, ...ofOutputs.filter((change) => !known.has(toContent(change, OUTPUT)))];
};

const INPUT = /^\/input/;
const OUTPUT = /^\/outputs\/[^/]*/;

/** Identifies a change within its data, so that what a node passes on is listed once. */
const toContent = ({ path, from, to }: Change, place: RegExp): string =>
  JSON.stringify([path.replace(place, ''), from ?? null, to ?? null, from === undefined, to === undefined]);

/** What differs between any two requests: when they were received, their trace, and the length of other data. */
const VARYING =
  /^\/(?:input|outputs\/[^/]*)\/(?:triggeredAt|headers\/(?:content-length|traceparent|x-amzn-trace-id|x-request-id))$/;
/** The same in the start of a large value, which is JSON. */
const VARYING_TIME = /(?<="triggeredAt":")[^"]*(?=")/;

/** Blanks the time, so that places in the text stay the same. */
const withoutTime = (start: string): string => start.replace(VARYING_TIME, (time) => ' '.repeat(time.length));

const toComparable = (value: JsonValue | undefined): string | undefined =>
  isCut(value)
    ? JSON.stringify({ ...(value as JsonObject), $start: withoutTime(startOf(value)) })
    : JSON.stringify(value);

const startOf = (view: JsonValue | undefined): string => String((view as { readonly $start: string }).$start);

/**
 * Compares lists item by item. Of a large value, its start was recorded: what that has in full is compared, and if it is the
 * same, the start and the size.
 */
const compareRecorded = (from: JsonValue, to: JsonValue, path: string): readonly Change[] => {
  const changes = isCut(from) || isCut(to) ? compareKnown(from, to, path) : [];
  return changes.length > 0
    ? changes
    : compareValues(from, to, {
        path,
        membersOf: (value) => (isCut(value) ? null : membersOfAll(value)),
        isSame: (before, after) => toComparable(before) === toComparable(after),
      });
};

/** What differs in the members that both sides are known to have, or one is known to lack. */
const compareKnown = (from: JsonValue, to: JsonValue, path: string): readonly Change[] => {
  const [before, after] = [from, to].map((value) =>
    isCut(value) ? parseJsonStart(startOf(value)) : { value, open: ALL_KNOWN },
  ) as [KnownStart, KnownStart];
  if (before.value === undefined || after.value === undefined) return [];
  return compareValues(before.value, after.value, { path, membersOf: membersOfAll }).filter((change) => {
    const parent = change.path.slice(path.length).replace(/\/[^/]*$/, '');
    if (change.from === undefined && before.open.has(parent)) return false;
    return !(change.to === undefined && after.open.has(parent)) && !VARYING.test(change.path);
  });
};

const ALL_KNOWN: ReadonlySet<string> = new Set();
