import { isPlainObject, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import { isOpen, type NodeFailure, type NodeRecord, nodeKeyOf } from '../engine/result.ts';
import { type FinishParts, findReconciledExecution } from '../executions/lifecycle/finish-execution.ts';
import { describeSummary } from '../executions/record/describe-execution.ts';
import type { ExecutionRecord, ExecutionStore, ListPosition } from '../executions/record/execution-store.ts';
import { isCut, shortenValue } from '../executions/record/view-data.ts';
import { EXECUTIONS_NOT_COMPARABLE, SUCCESS_NOT_FOUND } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import {
  type ExplainedExecution,
  type ExplainedNode,
  type ExplainParts,
  explainExecution,
} from './explain-execution.ts';

/** What a node run of one execution has differently from the same node run of another. */
type Aspect = 'missing' | 'status' | 'branch' | 'data' | 'failure' | 'slower';

/** A value that two node runs have differently. */
interface Change {
  /** A JSON pointer (RFC 6901): `/input/total`, `/outputs/main/id`. */
  readonly path: string;
  /** Absent if it was added. */
  readonly from?: JsonValue;
  /** Absent if it was removed. */
  readonly to?: JsonValue;
}

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
}

/** The executions as lists show them, and whether their records have data of nodes. */
type ComparedExecution = ReturnType<typeof describeSummary> & { readonly hasData: boolean };

export interface ExecutionComparison {
  /** The execution with which the other one is compared. */
  readonly from: ComparedExecution;
  readonly to: ComparedExecution;
  readonly counts: { readonly same: number; readonly different: number };
  /** In the order of `to`, then those that only `from` has. With very many node runs, only those that differ. */
  readonly nodes: readonly ComparedNode[];
  readonly nodesOmitted: number;
}

export interface CompareParts extends FinishParts, ExplainParts {
  readonly executions: ExecutionStore;
  readonly clock: { now(): number };
}

/**
 * Compares an execution with another one of its workflow.
 * @param otherId - null for the workflow's last success
 * @throws AppError `EXECUTION_NOT_FOUND` | `SUCCESS_NOT_FOUND` | `EXECUTIONS_NOT_COMPARABLE` | `STORE_UNAVAILABLE`
 */
export const compareWith = async (
  executionId: string,
  otherId: string | null,
  parts: CompareParts,
): Promise<ExecutionComparison> => {
  const record = await findReconciledExecution(executionId, parts);
  const other = await findReconciledExecution(otherId ?? (await findLastSuccess(record, parts)), parts);
  const { workflowId } = record;
  if (other.workflowId !== workflowId)
    throw new AppError(EXECUTIONS_NOT_COMPARABLE, { executionId, workflowId, other: other.workflowId });
  const [from, to] = await Promise.all([explainExecution(other, parts), explainExecution(record, parts)]);
  return compareExecutions(from, to);
};

/** Pages of 1,000 records that are searched for a success. */
const MAX_PAGES = 10;

/** @returns its id. @throws AppError `SUCCESS_NOT_FOUND` */
const findLastSuccess = async (
  { executionId, workflowId }: ExecutionRecord,
  { executions }: CompareParts,
): Promise<string> => {
  let after: ListPosition | null = null;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const query = { workflowId, statuses: ['succeeded'], limit: 2 } as const;
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

/** Compares two executions of a workflow, node run by node run. Bounded; what it shows is redacted by the records. */
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
    from: describe(from),
    to: describe(to),
    counts: { same: compared.length - different.length, different: different.length },
    nodes,
    nodesOmitted: listed.length - nodes.length,
  };
};

const byKey = ({ nodes }: ExplainedExecution): ReadonlyMap<string, ExplainedNode> =>
  new Map(nodes.map((node) => [nodeKeyOf(node.record), node]));

const describe = ({ record }: ExplainedExecution): ComparedExecution => ({
  ...describeSummary(record),
  hasData: record.nodes.some(({ input, outputs }) => input !== undefined || outputs !== undefined),
});

const compareNodes = (from: ExplainedNode | null, to: ExplainedNode | null): ComparedNode => {
  const { nodeId, within, type, iteration } = ((to ?? from) as ExplainedNode).record;
  const name = { nodeId, ...(within === undefined ? {} : { within }), type, iteration };
  const sides = { from: from && toRun(from), to: to && toRun(to) };
  if (from === null || to === null) return { ...name, differs: ['missing'], ...sides };
  const isOtherBranch = hasOtherBranch(from, to);
  const changes = findChanges(toData(from, isOtherBranch), toData(to, isOtherBranch));
  const shown = changes.slice(0, MAX_CHANGES);
  const differs = (
    [
      ['status', from.record.status !== to.record.status],
      ['branch', isOtherBranch],
      ['data', changes.length > 0],
      ['failure', hasOtherFailure(from.record, to.record)],
      ['slower', isSlower(from.record, to.record)],
    ] as const
  ).flatMap(([aspect, isDifferent]) => (isDifferent ? [aspect] : []));
  if (differs.length === 0) return { ...name, differs };
  return {
    ...{ ...name, differs, ...sides },
    ...(shown.length === 0 ? {} : { changes: shown.map(shortenChange) }),
    ...(changes.length === shown.length ? {} : { changesOmitted: changes.length - shown.length }),
  };
};

const toRun = ({ record, why, delivered }: ExplainedNode): ComparedRun => {
  const { status, durationMs, failure } = record;
  return {
    ...{ status, durationMs },
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
const toData = (
  { record: { input, outputs } }: ExplainedNode,
  isOtherBranch: boolean,
): Readonly<Record<'input' | 'outputs', JsonValue | undefined>> => ({
  input,
  outputs: isOtherBranch ? undefined : outputs,
});

/** Values that differ are listed for each node run up to this number, and then counted. */
const MAX_CHANGES = 20;

/** The changes of what both records have. Records bound each value, and so the number of changes. */
const findChanges = (from: ReturnType<typeof toData>, to: ReturnType<typeof toData>): readonly Change[] => {
  const [ofInput = [], ofOutputs = []] = (['input', 'outputs'] as const).map((name) => {
    const [before, after] = [from[name], to[name]];
    const changes =
      before === undefined || after === undefined ? [] : compareValues(before, after, `/${name}`);
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
const VARYING_TIME = /\\"triggeredAt\\":\\"[^"]*"/;

/** Compares maps key by key and lists item by item, without recursion, since records may nest deeply. */
const compareValues = (from: JsonValue, to: JsonValue, path: string): readonly Change[] => {
  const changes: Change[] = [];
  const work: Change[] = [{ path, from, to }];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    const before = entriesOf(next.from);
    const after = entriesOf(next.to);
    if (before === null || after === null || Array.isArray(next.from) !== Array.isArray(next.to)) {
      if (toComparable(next.from) !== toComparable(next.to)) changes.push(next);
      continue;
    }
    for (const key of [...new Set([...before.keys(), ...after.keys()])].reverse())
      work.push({
        path: `${next.path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`,
        ...(before.has(key) ? { from: before.get(key) as JsonValue } : {}),
        ...(after.has(key) ? { to: after.get(key) as JsonValue } : {}),
      });
  }
  return changes;
};

const toComparable = (value: JsonValue | undefined): string | undefined =>
  isCut(value) ? JSON.stringify(value).replace(VARYING_TIME, '') : JSON.stringify(value);

/** @returns null for a value without members, and for a large one, of which only the start was recorded */
const entriesOf = (value: JsonValue | undefined): ReadonlyMap<string, JsonValue> | null => {
  const isMap = isPlainObject(value) && !isCut(value);
  return isMap || Array.isArray(value) ? new Map(Object.entries(value as JsonObject)) : null;
};

const shortenChange = ({ path, from, to }: Change): Change => ({
  path,
  ...(from === undefined ? {} : { from: shortenValue(from) }),
  ...(to === undefined ? {} : { to: shortenValue(to) }),
});
