import type { JsonObject } from '@hookloom/plugin-kit';
import type { TrialWorker } from '../../../worker/trial-worker.ts';
import type { DeclaredType, KnownTypes } from '../../../worker/validate-draft.ts';
import { passOn, toOutputs } from './recorded-data.ts';
import { findStamps, isDeliveryStale } from './stale-data.ts';
import {
  type DraftData,
  type DraftGraph,
  findBefore,
  findInput,
  type NewData,
  type Outputs,
} from './trial-data.ts';
import { findGiven, findOrder, howToRun, mayRunInPage } from './trial-plan.ts';

/** What trials in the page need to know of a draft. */
export interface PageTrialParts {
  readonly graph: DraftGraph;
  readonly types: ReadonlyMap<string, DeclaredType>;
  /** The same for the worker. */
  readonly known: KnownTypes;
  /** The stage's variables, by name; null if they are not known. */
  readonly variables: JsonObject | null;
  readonly worker: Pick<TrialWorker, 'run'>;
}

/** Outputs that are larger together are not sent to the worker as one types, in characters of JSON. */
const MAX_GIVEN = 1_000_000;
/** The page makes no more outputs when all that it made are larger, in characters of JSON. */
const MAX_MADE = 10_000_000;

/** Runs a node in this page. @returns null if only the service can run it, or not in time */
export const tryInPage = async (
  { graph, types, known, variables, worker }: PageTrialParts,
  data: DraftData,
  nodeId: string,
  signal: AbortSignal,
): Promise<NewData | null> => {
  const node = graph.nodes.get(nodeId);
  if (node === undefined || !mayRunInPage(node, types)) return null;
  const given = Object.entries(findGiven(graph, types, data, nodeId));
  const readsNodes = JSON.stringify(node.parameters ?? {}).includes('$nodes');
  const sources = new Set((graph.into.get(nodeId) ?? []).map(({ sourceNodeId }) => sourceNodeId));
  const outputs = readsNodes
    ? given
    : given.filter(
        ([id]) => sources.has(id) || types.get(graph.nodes.get(id)?.type ?? '')?.kind === 'trigger',
      );
  if (outputs.reduce((length, [, own]) => length + lengthOf(own), 0) > MAX_GIVEN) return null;
  const { definition } = graph;
  const ran = await worker.run(
    { known, definition, nodeId, outputs: Object.fromEntries(outputs), variables },
    signal,
  );
  if (ran === null) return null;
  const { status, failure, attempts, durationMs, log, logOmitted, isCut = false } = ran;
  return {
    from: 'page',
    id: `page ${crypto.randomUUID()}`,
    at: new Date().toISOString(),
    outputs: toOutputs(ran.outputs) ?? {},
    isPinned: false,
    isCut,
    run: { status, failure, attempts, durationMs, log, logOmitted },
  };
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

/** The states of nodes that the page has tried to run, by node id: what can't be run, or would be stale at once, is not run again. */
export type TriedStamps = Map<string, { readonly stamp: string; readonly hasRun: boolean }>;

/** How long outputs are collected before they are shown, in milliseconds. */
const SHOWN_AFTER_MS = 100;

/**
 * Makes the outputs of pure nodes that data reaches, and that are missing or stale, in their order.
 *
 * @returns data by node id, as much as is made in a moment: a further call makes more
 */
export const makeOutputs = async (
  parts: PageTrialParts & { readonly tried: TriedStamps },
  data: DraftData,
  signal: AbortSignal,
): Promise<DraftData> => {
  const { graph, types, tried } = parts;
  const beganAt = performance.now();
  const made = new Set<string>();
  let all = data;
  let stamps = findStamps(graph, all);
  for (const nodeId of findOrder(graph, types, null, true)) {
    const node = graph.nodes.get(nodeId);
    const own = Object.hasOwn(all, nodeId) ? all[nodeId] : undefined;
    const stamp = stamps.get(nodeId);
    if (node === undefined || stamp === undefined || own?.isPinned === true || own?.stamp === stamp) continue;
    const before = tried.get(nodeId);
    if (before?.stamp === stamp && (!before.hasRun || own !== undefined)) continue;
    const passesOn = howToRun(node, types) === 'passOn';
    const input = passesOn || mayRunInPage(node, types) ? findInput(graph, all, nodeId) : null;
    if (input === null || leadsToItself(graph, nodeId) || isTooMuch(all)) continue;
    const added = passesOn ? passOn(input) : await tryInPage(parts, all, nodeId, signal);
    if (signal.aborted) return {};
    tried.set(nodeId, { stamp, hasRun: added !== null });
    if (added === null) continue;
    const given = { data: all, stamps };
    const isStale = (graph.into.get(nodeId) ?? []).some((one) => isDeliveryStale(graph, given, one));
    all = { ...all, [nodeId]: { ...added, stamp: isStale ? STALE : stamp } };
    stamps = findStamps(graph, all);
    made.add(nodeId);
    if (performance.now() - beganAt > SHOWN_AFTER_MS) break;
  }
  return Object.fromEntries(Object.entries(all).filter(([id]) => made.has(id)));
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
    (length, { from, outputs }) => length + (from === 'page' ? lengthOf(outputs) : 0),
    0,
  ) > MAX_MADE;
