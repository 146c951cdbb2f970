import {
  EACH_OUTPUT,
  ERROR_OUTPUT,
  isPlainObject,
  type JsonObject,
  type JsonValue,
  MAIN_OUTPUT,
} from '@hookloom/plugin-kit';
import { nodeKeyOf, toFailedData } from '../../engine/node-run.ts';
import { isOpen, type NodeRecord } from '../../engine/result.ts';
import type { Connection, Workflow, WorkflowDefinition } from '../../workflows/definition/definition.ts';
import { ENTRY_TRIGGER } from '../../workflows/definition/entry-trigger.ts';
import type { Scope } from '../../workflows/expressions/scope.ts';
import { type ExecutionRecord, toExecutionInfo } from '../record/execution-store.ts';
import { isCut } from '../record/view-data.ts';

type Node = WorkflowDefinition['nodes'][number];

/** A node run, with what its record and those of other nodes show of its data. */
export interface RecordedNode {
  readonly record: NodeRecord;
  /** The node as the recorded version defines it; null for a node of another workflow. */
  readonly node: Node | null;
  /** Sources of its connections that have run or were skipped, in the order of the definition. */
  readonly sources: readonly RecordedSource[];
  /** The data by output; null if it was not recorded in full. */
  readonly outputs: JsonObject | null;
  /** Which outputs delivered according to other records, by name; grows as later node runs are read. */
  readonly told: Map<string, boolean>;
  /** What its expressions could read. Valid only until the next node run is read. */
  readonly scope: RecordedScope;
}

interface RecordedSource {
  readonly source: RecordedNode;
  readonly output: string;
}

export interface RecordedScope {
  /** Null if it was not recorded in full. */
  readonly input: JsonObject | null;
  readonly trigger: JsonObject | null;
  /** The value of `$item`; undefined if there is none, or it was not recorded in full. */
  readonly item: JsonValue | undefined;
  /** Values of paths that the rest of the record lacks, because they are in large data. */
  readonly reads: JsonObject | undefined;
  /** @returns the output of another node; undefined if the node run could not read it, null if it was not recorded */
  outputOf(nodeId: string): JsonObject | null | undefined;
  /** The rest of the scope. */
  readonly bare: Pick<Scope, 'execution' | 'seed'>;
}

/**
 * Reads the node runs of a record in the order of their starts.
 * @param workflow - the recorded version; null if it no longer exists
 */
export function* readRun(execution: ExecutionRecord, workflow: Workflow | null): Generator<RecordedNode> {
  const graph = toGraph(workflow?.definition ?? null);
  const info = toExecutionInfo(execution, workflow ?? {});
  const runs = new Map<string, RunSoFar>();
  let trigger: JsonObject | null = null;

  for (const record of execution.nodes) {
    const { nodeId, within = '', type } = record;
    const run = runs.get(within) ?? openRun(runs.get(parentOf(within)), within, type);
    runs.set(within, run);
    const found = run.isForeign ? undefined : graph.nodes.get(nodeId);
    const node = found?.type === type ? found : null;
    const incoming = node === null ? [] : (graph.incoming.get(nodeId) ?? []);
    const sources = incoming.flatMap(({ sourceNodeId, sourceOutput = MAIN_OUTPUT }): RecordedSource[] => {
      const source = run.latest.get(sourceNodeId);
      return source === undefined ? [] : [{ source, output: sourceOutput }];
    });
    tellSources(record, sources, incoming.length);
    const isInput = record.input !== undefined;
    const input = isInput ? wholeOf(record.input) : mergeInput(record, sources, incoming);
    const outputs = toOutputs(record, node, input, workflow?.definition.format);
    const [entry, ...others] = incoming;
    if (entry?.sourceNodeId === ownerOf(within) && others.length === 0 && input !== null)
      run.given ??= { output: entry.sourceOutput ?? MAIN_OUTPUT, data: input };

    const outputOf = (id: string): JsonObject | null | undefined => {
      let reader = nodeId;
      for (let prefix = within; ; prefix = parentOf(prefix)) {
        const other = runs.get(prefix)?.lastRun.get(id);
        if (other !== undefined && graph.ancestorsOf(reader).has(id) && endedBefore(other.record, record))
          return mainOf(other.outputs);
        if (prefix === '') return undefined;
        reader = ownerOf(prefix);
        if (reader === id) return runs.get(prefix)?.given?.data ?? null;
      }
    };
    const findItem = (): JsonValue | undefined => {
      for (let prefix = within; prefix !== ''; prefix = parentOf(prefix)) {
        const { isForeign = true, given = null } = runs.get(prefix) ?? {};
        if (isForeign || given === null) return undefined;
        if (given.output === EACH_OUTPUT) return given.data.item;
      }
      return undefined;
    };
    if (within === '' && nodeId === execution.trigger.nodeId) trigger ??= mainOf(outputs);
    const bare = { execution: info, seed: `${info.executionId}/${nodeKeyOf(record)}` };
    const state: RecordedNode = {
      record,
      node,
      sources,
      outputs,
      told: firstOutputOf(record),
      scope: { input, trigger, item: findItem(), reads: record.reads, outputOf, bare },
    };
    yield state;
    run.latest.set(nodeId, state);
    if (record.status !== 'skipped') run.lastRun.set(nodeId, state);
  }
}

/** @returns whether a node run delivered on an output; null if that is unknown */
export const hasDelivered = (
  { record, node, outputs, told }: RecordedNode,
  output: string,
): boolean | null => {
  switch (record.status) {
    case 'skipped':
      return false;
    case 'passedThrough':
      return output === MAIN_OUTPUT;
    case 'failed':
      return output === outputAfterFailure(node);
    default:
      return outputs === null ? (told.get(output) ?? null) : Object.hasOwn(outputs, output);
  }
};

/** The names of the outputs that are known to have delivered. */
export const deliveredOutputs = (state: RecordedNode): readonly string[] => {
  const names = [...Object.keys(state.outputs ?? {}), ...state.told.keys(), MAIN_OUTPUT, ERROR_OUTPUT];
  return [...new Set(names)].filter((name) => hasDelivered(state, name) === true);
};

interface RunSoFar {
  /** Whether it is a run of another workflow, or inside one. */
  readonly isForeign: boolean;
  /** The latest run or skip of each node. */
  readonly latest: Map<string, RecordedNode>;
  readonly lastRun: Map<string, RecordedNode>;
  /** What a body begins with, and the output that leads to it: its first node has recorded that. Null until it is known. */
  given: { readonly output: string; readonly data: JsonObject } | null;
}

const openRun = (parent: RunSoFar | undefined, within: string, firstType: string): RunSoFar => ({
  isForeign: within !== '' && (firstType === ENTRY_TRIGGER || parent?.isForeign === true),
  latest: new Map(),
  lastRun: new Map(),
  given: null,
});

/** The prefix of an inner run ends with the id, iteration and operation of its node. */
const parentOf = (within: string): string => within.split('/').slice(0, -3).join('/');
const ownerOf = (within: string): string => within.split('/').at(-3) ?? '';

const toGraph = (definition: WorkflowDefinition | null) => {
  const nodes = new Map(definition?.nodes.map((node) => [node.id, node]));
  const incoming = Map.groupBy(definition?.connections ?? [], ({ targetNodeId }) => targetNodeId);
  const known = new Map<string, ReadonlySet<string>>();
  const ancestorsOf = (nodeId: string): ReadonlySet<string> => {
    const cached = known.get(nodeId);
    if (cached !== undefined) return cached;
    const found = new Set<string>();
    const work = [nodeId];
    for (let next = work.pop(); next !== undefined; next = work.pop()) {
      for (const { sourceNodeId } of incoming.get(next) ?? []) {
        if (found.has(sourceNodeId)) continue;
        found.add(sourceNodeId);
        work.push(sourceNodeId);
      }
    }
    known.set(nodeId, found);
    return found;
  };
  return { nodes, incoming, ancestorsOf };
};

/** If a node was skipped, its connections delivered nothing; if it ran, its only connection delivered. */
const tellSources = (
  { status }: NodeRecord,
  sources: readonly RecordedSource[],
  connections: number,
): void => {
  const hasRun = status !== 'skipped';
  if (hasRun && connections > 1) return;
  for (const { source, output } of sources) source.told.set(output, hasRun);
};

/** Merges what the connections delivered; null if that is not known for certain. */
const mergeInput = (
  { within = '', iteration, status }: NodeRecord,
  sources: readonly RecordedSource[],
  incoming: readonly Connection[],
): JsonObject | null => {
  const isInLoop = iteration > 0 && incoming.length > 1;
  const isInBody = within !== '' && incoming.some(({ sourceNodeId }) => sourceNodeId === ownerOf(within));
  if (status === 'skipped' || isInLoop || isInBody) return null;
  const merged: [string, JsonValue][] = [];
  let hasInput = false;
  for (const { source, output } of sources) {
    const isDelivered = hasDelivered(source, output);
    if (isDelivered === false) continue;
    const data = source.record.iteration === iteration ? source.outputs?.[output] : null;
    if (!isPlainObject(data)) return null;
    hasInput = true;
    merged.push(...Object.entries(data as JsonObject));
  }
  return hasInput ? Object.fromEntries(merged) : null;
};

/** The view of a value; null if it was not recorded, or only its start. */
const wholeOf = (view: JsonValue | undefined): JsonObject | null =>
  isPlainObject(view) && !isCut(view) ? (view as JsonObject) : null;

const toOutputs = (
  record: NodeRecord,
  node: Node | null,
  input: JsonObject | null,
  format: number | undefined,
): JsonObject | null => {
  if (record.status === 'passedThrough') return input === null ? null : { [MAIN_OUTPUT]: input };
  if (record.status !== 'failed') return wholeOf(record.outputs);
  const output = outputAfterFailure(node);
  if (output === null) return {};
  return input === null ? null : { [output]: toFailedData(input, { ...record.failure }, format) };
};

/** The output on which a failed node delivers; null if its failure ends the execution. */
const outputAfterFailure = (node: Node | null): string | null => {
  const { onError = 'fail' } = node?.settings ?? {};
  if (onError === 'fail') return null;
  return onError === 'route' ? ERROR_OUTPUT : MAIN_OUTPUT;
};

/** The start of outputs that were too large to be recorded has the name of the first one. */
const firstOutputOf = ({ outputs }: NodeRecord): Map<string, boolean> => {
  const start = isPlainObject(outputs) ? outputs.$start : undefined;
  const [, name] = /^\{"([^"\\]*)":/.exec(typeof start === 'string' ? start : '') ?? [];
  return new Map(name === undefined ? [] : [[name, true]]);
};

const mainOf = (outputs: JsonObject | null): JsonObject | null => {
  if (outputs === null) return null;
  const main = outputs[MAIN_OUTPUT] ?? Object.values(outputs)[0] ?? {};
  return isPlainObject(main) ? (main as JsonObject) : null;
};

const endedBefore = (other: NodeRecord, { startedAt }: NodeRecord): boolean =>
  !isOpen(other) && other.startedAt + other.durationMs <= startedAt;
