import { isPlainObject, type JsonObject, type JsonValue, MAIN_OUTPUT } from '@hookloom/plugin-kit';
import type { NodeRecord } from '../../engine/result.ts';
import { REDACTED } from '../../shared/secrets/secret-names.ts';
import type { WorkflowDefinition } from '../../workflows/definition/definition.ts';
import type { Read } from '../../workflows/expressions/find-reads.ts';
import { findDecision, isSecretRead, MAX_READS, readsOf } from './decision.ts';
import { isCut, shortenValue, viewNodes, viewValue } from './view-data.ts';

/** How many node runs of a record keep what they read of large data. */
const MAX_NODES = 200;

/**
 * The engine's node records for storage, with bounded and redacted views of their data. A node that decides keeps what
 * its expression reads of variables, and of data that is too large for its view, since nothing else in the record says
 * why it decided.
 * @param nodes - the trigger's first
 */
export const viewRun = async (
  nodes: readonly NodeRecord[],
  definition: Pick<WorkflowDefinition, 'nodes'>,
  variables?: JsonObject,
): Promise<readonly NodeRecord[]> => {
  const views = viewNodes(nodes);
  const isWhole = !views.some(({ input, outputs }) => isCut(input) || isCut(outputs));
  if (isWhole && variables === undefined) return views;
  const findReads = createFindReads(definition, nodes[0]?.nodeId);
  /** The latest run of each node, by the prefix of its run. */
  const latest = new Map<string, number>();
  let left = MAX_NODES;

  const readAt = (at: number, { root, names: [first = '', ...others], path: _path }: Read) => {
    const { input, within = '' } = nodes[at] as NodeRecord;
    const names = first === '' ? [] : [first, ...others];
    if (root === 'input') return isCut(views[at]?.input) ? readPath(input, names) : undefined;
    if (root === 'execution' || root === 'item') return undefined;
    if (root === 'vars') return readPath(variables, names);
    const isNode = root === 'nodes';
    const source = isNode ? (latest.get(`${within}/${first}`) ?? latest.get(`/${first}`) ?? -1) : 0;
    if (!isCut(views[source]?.outputs)) return undefined;
    return readPath(mainOf(nodes[source]?.outputs), isNode ? others : names);
  };

  const stored: NodeRecord[] = [];
  for (const [at, view] of views.entries()) {
    const reads = left === 0 ? [] : await findReads(view);
    const kept = reads.flatMap((read) => {
      const value = readAt(at, read);
      if (value === undefined) return [];
      return [[read.path, isSecretRead(read) ? REDACTED : shortenValue(viewValue(value))] as const];
    });
    if (kept.length > 0) left--;
    stored.push(kept.length === 0 ? view : { ...view, reads: Object.fromEntries(kept) });
    latest.set(`${view.within ?? ''}/${view.nodeId}`, at);
  }
  return stored;
};

/** Finds the paths by which a node run decided, parsed once per node; none for other nodes. */
const createFindReads = (
  { nodes }: Pick<WorkflowDefinition, 'nodes'>,
  triggerId: string | undefined,
): ((record: NodeRecord) => Promise<readonly Read[]>) => {
  const nodeOf = new Map(nodes.map((node) => [node.id, node]));
  const known = new Map<string, readonly Read[]>();
  return async ({ nodeId, type, status }) => {
    const node = nodeOf.get(nodeId);
    const hasRun = status === 'succeeded' || status === 'failed';
    if (!hasRun || node?.type !== type) return [];
    const cached = known.get(nodeId);
    if (cached !== undefined) return cached;
    const decision = findDecision(node, nodeId === triggerId);
    const reads = decision === null ? [] : (await readsOf(decision)).reads.slice(0, MAX_READS);
    known.set(nodeId, reads);
    return reads;
  };
};

const mainOf = (outputs: JsonValue | undefined): JsonValue | undefined =>
  isPlainObject(outputs) ? ((outputs[MAIN_OUTPUT] ?? Object.values(outputs)[0]) as JsonValue) : undefined;

/** The value at a path of plain names; undefined if there is none, or if it leads through a list. */
const readPath = (data: JsonValue | undefined, names: readonly string[]): JsonValue | undefined => {
  let value = data;
  for (const name of names) {
    if (!isPlainObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name] as JsonValue;
  }
  return value;
};
