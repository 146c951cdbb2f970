import { EACH_OUTPUT, type JsonValue } from '@hookloom/plugin-kit';
import { callApi, Problem } from '../../../api/api.ts';
import { evaluateOnSample } from '../../../parts/expression/evaluate-sample.ts';
import { hasExpression } from '../../../parts/expression/expression-parts.ts';
import { fromRun, fromText, passOn } from './recorded-data.ts';
import { bodyStampOf, findStamps, isDeliveryStale } from './stale-data.ts';
import {
  type DeclaredTypes,
  type DraftData,
  type DraftGraph,
  dataOf,
  findBefore,
  findInput,
  type NewData,
  type Outputs,
} from './trial-data.ts';
import { findGiven, findOrder, howToRun, mayEvaluate, toSample } from './trial-plan.ts';

export interface EvaluationParts {
  readonly graph: DraftGraph;
  readonly types: DeclaredTypes;
}

/** Outputs that are larger together are not sent as one types, in characters of JSON. */
const MAX_GIVEN = 1_000_000;
/** The page has no more outputs made when all that were made are larger, in characters of JSON. */
const MAX_MADE = 10_000_000;

/** Statuses that say what is wrong with a request: it is not sent again until it changes. */
const REFUSED = [400, 413, 422];

/**
 * Has the service run a node that touches nothing outside, which stores nothing.
 *
 * @returns null if the service does not run it as one types
 * @throws Problem if the service does not answer, or does not allow it
 */
export const evaluateNode = async (
  { graph, types }: EvaluationParts,
  data: DraftData,
  nodeId: string,
  signal: AbortSignal,
): Promise<NewData | null> => {
  const node = graph.nodes.get(nodeId);
  if (node === undefined || !mayEvaluate(node, types)) return null;
  const given = Object.entries(findGiven(graph, types, data, nodeId));
  const readsNodes = /\$(?:nodes|item)/.test(JSON.stringify(node.parameters ?? {}));
  const sources = new Set((graph.into.get(nodeId) ?? []).map(({ sourceNodeId }) => sourceNodeId));
  const outputs = readsNodes
    ? given
    : given.filter(
        ([id]) => sources.has(id) || types.get(graph.nodes.get(id)?.type ?? '')?.kind === 'trigger',
      );
  if (outputs.reduce((length, [, own]) => length + lengthOf(own), 0) > MAX_GIVEN) return null;
  const body = { definition: graph.definition, nodeId, outputs: Object.fromEntries(outputs) };
  const answer = await callApi('POST /api/admin/workflows/evaluate', { body, signal }).catch((error) => {
    if (error instanceof Problem && REFUSED.includes(error.status)) return { run: null };
    throw error;
  });
  if (answer.run === null) return null;
  const id = `evaluation ${crypto.randomUUID()}`;
  return fromRun(answer.run, { from: 'evaluation', id, at: new Date().toISOString() });
};

/** What the body of a `forEach` begins with, for its first item; null if that is not known here. */
const beginBody = async (
  { graph, types }: EvaluationParts,
  data: DraftData,
  nodeId: string,
): Promise<NewData | null> => {
  const items = graph.nodes.get(nodeId)?.parameters?.items;
  const sample = toSample(graph, types, { data, id: nodeId, variables: null });
  const names = { nodes: [...findBefore(graph, nodeId)], variables: null };
  const found = hasExpression(items) ? await evaluateOnSample(items, 'template', sample, names) : null;
  // As in a run, a single value is a list of one.
  const list: unknown = found?.kind === 'value' ? [found.value].flat() : items;
  if (!Array.isArray(list) || list.length === 0 || JSON.stringify(list[0]).includes('{{')) return null;
  const begun = fromText(EACH_OUTPUT, { item: list[0] as JsonValue, index: 0 }, new Date().toISOString());
  return { ...begun, from: 'evaluation', isPinned: false, isCut: true };
};

/** By the outputs, which never change. */
const lengths = new WeakMap<Outputs, number>();

const lengthOf = (outputs: Outputs): number => {
  const known = lengths.get(outputs);
  if (known !== undefined) return known;
  const found = JSON.stringify(outputs).length;
  lengths.set(outputs, found);
  return found;
};

/** The states of nodes that were asked for, by node id: what can't be run, or would be stale at once, is not asked for again. */
export type AskedStamps = Map<string, { readonly stamp: string; readonly hasRun: boolean }>;

/** How long outputs are collected before they are shown, in milliseconds. */
const SHOWN_AFTER_MS = 100;

/**
 * Has the outputs of pure nodes made that data reaches, and that are missing or stale, in their order.
 *
 * @returns data by node id, as much as is made in a moment: a further call makes more; and what ended it, if the service failed
 */
export const makeOutputs = async (
  parts: EvaluationParts & { readonly asked: AskedStamps },
  data: DraftData,
  signal: AbortSignal,
): Promise<{ readonly made: DraftData; readonly failure: Error | null }> => {
  const { graph, types, asked } = parts;
  const beganAt = performance.now();
  const made = new Set<string>();
  let all = data;
  let stamps = findStamps(graph, all);
  let failure: Error | null = null;
  for (const nodeId of findOrder(graph, types, null, true)) {
    const node = graph.nodes.get(nodeId);
    const own = dataOf(all, nodeId);
    const stamp = stamps.get(nodeId);
    if (node === undefined || stamp === undefined || own?.isPinned === true || own?.stamp === stamp) continue;
    const before = asked.get(nodeId);
    if (before?.stamp === stamp && (!before.hasRun || own !== undefined)) continue;
    const how = howToRun(node, types);
    const begins = how === 'try' && graph.bodies.get(nodeId)?.output === EACH_OUTPUT;
    if (begins && own !== undefined && own.from !== 'evaluation') continue; // it has run
    const input =
      how === 'passOn' || begins || mayEvaluate(node, types) ? findInput(graph, all, nodeId) : null;
    if (input === null || leadsToItself(graph, nodeId) || isTooMuch(all)) continue;
    let added: NewData | null;
    try {
      if (how === 'passOn') added = passOn(input);
      else
        added = begins ? await beginBody(parts, all, nodeId) : await evaluateNode(parts, all, nodeId, signal);
    } catch (error) {
      failure = error as Error;
      break;
    }
    asked.set(nodeId, { stamp, hasRun: added !== null });
    if (added === null) continue;
    const given = { data: all, stamps };
    const isStale = (graph.into.get(nodeId) ?? []).some((one) => isDeliveryStale(graph, given, one));
    const fresh = isStale ? { stamp: STALE } : { stamp, ...bodyStampOf(stamps, nodeId) };
    all = { ...all, [nodeId]: { ...added, ...fresh } };
    stamps = findStamps(graph, all);
    made.add(nodeId);
    if (performance.now() - beganAt > SHOWN_AFTER_MS) break;
  }
  if (signal.aborted) for (const id of made) asked.delete(id); // it is dropped
  return { made: Object.fromEntries(Object.entries(all).filter(([id]) => made.has(id))), failure };
};

/** The stamp of what is made of stale data. */
const STALE = 'stale';

/** What is in a loop changes its own input: only a run of the workflow ends it. */
const leadsToItself = (graph: DraftGraph, nodeId: string): boolean => {
  const before = findBefore(graph, nodeId);
  return (graph.outOf.get(nodeId) ?? []).some(
    ({ targetNodeId }) => targetNodeId === nodeId || before.has(targetNodeId),
  );
};

const isTooMuch = (data: DraftData): boolean =>
  Object.values(data).reduce(
    (length, { from, outputs }) => length + (from === 'evaluation' ? lengthOf(outputs) : 0),
    0,
  ) > MAX_MADE;
