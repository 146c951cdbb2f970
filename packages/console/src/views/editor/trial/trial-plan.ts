import { EACH_OUTPUT, type JsonObject } from '@hookloom/plugin-kit';
import type { DefinitionNode } from '../../workflow/definition.ts';
import {
  type DeclaredTypes,
  type DraftData,
  type DraftGraph,
  dataOf,
  findBefore,
  findInput,
  findOwners,
  findRead,
  mainOf,
  type Outputs,
  outputsOf,
} from './trial-data.ts';
import { exampleOf } from './trigger-example.ts';

export const isTrigger = ({ type }: DefinitionNode, types: DeclaredTypes): boolean =>
  types.get(type)?.kind === 'trigger';

/** With the example of the first trigger, if no trigger has data. */
export const withExample = (graph: DraftGraph, data: DraftData, types: DeclaredTypes): DraftData => {
  const triggers = graph.definition.nodes.filter((node) => node.disabled !== true && isTrigger(node, types));
  const [first] = triggers;
  return first === undefined || triggers.some(({ id }) => Object.hasOwn(data, id))
    ? data
    : { ...data, [first.id]: exampleOf(first, types.get(first.type)) };
};

/** How a node is treated in a run. */
export const howToRun = (node: DefinitionNode, types: DeclaredTypes): 'try' | 'passOn' | 'wait' | 'give' => {
  if (node.disabled === true || node.type === 'respondToWebhook') return 'passOn';
  const { firedBy, control } = types.get(node.type) ?? {};
  // A trigger that polls is tried: it fetches what a run would get.
  if (isTrigger(node, types) && firedBy !== 'poll') return 'give';
  return control?.suspends === true ? 'wait' : 'try';
};

/**
 * The nodes in the order in which they run, without those that only the body of a node has: the node runs it.
 *
 * @param target - the last one, so that only what leads to it is listed; null for all
 * @param withBodies - lists the nodes of bodies, too
 */
export const findOrder = (
  graph: DraftGraph,
  types: DeclaredTypes,
  target: string | null,
  withBodies = false,
): readonly string[] => {
  const wanted = target === null ? null : new Set([...findBefore(graph, target), target]);
  const nextOf = (id: string): readonly string[] => {
    const body = withBodies ? undefined : graph.bodies.get(id)?.output;
    return (graph.outOf.get(id) ?? [])
      .filter(({ sourceOutput = 'main' }) => sourceOutput !== body)
      .map(({ targetNodeId }) => targetNodeId)
      .filter((next) => graph.nodes.has(next));
  };
  const roots = graph.definition.nodes.filter((node) => isTrigger(node, types)).map(({ id }) => id);
  return reversePostorder(roots, nextOf).filter((id) => wanted === null || wanted.has(id));
};

/** An order in which each comes after what leads to it, except for what leads back. */
const reversePostorder = (
  roots: readonly string[],
  nextOf: (id: string) => readonly string[],
): readonly string[] => {
  const seen = new Set<string>();
  const left: string[] = [];
  for (const root of roots.toReversed()) {
    if (seen.has(root)) continue;
    seen.add(root);
    const path = [{ id: root, next: nextOf(root).toReversed(), at: 0 }];
    for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
      const id = step.next[step.at];
      step.at += 1;
      if (id === undefined) {
        left.push(step.id);
        path.pop();
      } else if (!seen.has(id)) {
        seen.add(id);
        path.push({ id, next: nextOf(id).toReversed(), at: 0 });
      }
    }
  }
  return left.reverse();
};

/** Whether a node has data that a run takes over instead of running the node again. */
export const isKept = (data: DraftData, stale: ReadonlySet<string>, id: string): boolean => {
  const own = dataOf(data, id);
  if (own === undefined) return false;
  if (own.isPinned || own.from === 'request' || own.from === 'example') return true;
  return !stale.has(id) && !own.isCut && own.run?.status !== 'failed' && own.run?.status !== 'timedOut';
};

/** Ids of the nodes of a run that act on the outside, or may do so; those of bodies, too. */
export const findEffects = (
  graph: DraftGraph,
  types: DeclaredTypes,
  run: Readonly<{ data: DraftData; stale: ReadonlySet<string>; order: readonly string[] }>,
): readonly string[] => {
  const { data, stale, order } = run;
  const runs = new Set<string>();
  const emitting = new Set<string>(); // what they emit is not known yet
  const effects = new Set<string>();
  for (const id of order) {
    const node = graph.nodes.get(id);
    if (node === undefined) continue;
    const isAgain = (graph.into.get(id) ?? []).some(({ sourceNodeId }) => runs.has(sourceNodeId));
    if (
      dataOf(data, id)?.isPinned === true ||
      howToRun(node, types) === 'give' ||
      (!isAgain && isKept(data, stale, id))
    )
      continue;
    const isReached = (graph.into.get(id) ?? []).some(
      ({ sourceNodeId, sourceOutput = 'main' }) =>
        emitting.has(sourceNodeId) || Object.hasOwn(outputsOf(data, sourceNodeId), sourceOutput),
    );
    if (!isReached) continue;
    runs.add(id);
    emitting.add(id);
    if (howToRun(node, types) !== 'try') continue;
    for (const own of [node, ...(graph.bodies.get(id)?.nodes ?? [])])
      if (touchesOutside(own, types)) effects.add(own.id);
  }
  return [...effects];
};

/** Whether a node acts on the outside, or may do so: its type says. */
const touchesOutside = ({ type, disabled }: DefinitionNode, types: DeclaredTypes): boolean => {
  const declared = types.get(type);
  if (disabled === true || declared?.kind === 'trigger') return false;
  return declared?.pure !== true && !declared?.control;
};

/** Whether a node may be evaluated, unless the service finds that it acts on the outside: its type says that it is pure. */
export const mayEvaluate = (node: DefinitionNode, types: DeclaredTypes): boolean => {
  const { pure = false, control } = types.get(node.type) ?? {};
  if (isTrigger(node, types)) return false;
  return howToRun(node, types) === 'try' && pure !== false && !control && node.credentialId === undefined;
};

/** The outputs that a trial of a node may read, by node id: of the nodes before it, and of the triggers. */
export const findGiven = (
  graph: DraftGraph,
  types: DeclaredTypes,
  data: DraftData,
  nodeId: string,
): Readonly<Record<string, Outputs>> => {
  const before = findBefore(graph, nodeId);
  const given = Object.keys(data).filter((id) => {
    const node = graph.nodes.get(id);
    return node !== undefined && (before.has(id) || isTrigger(node, types));
  });
  return Object.fromEntries(given.map((id) => [id, outputsOf(data, id)]));
};

/**
 * What the expressions of a node see: its input by name, and `$nodes`, `$trigger`, `$vars`, `$execution` and, in a body, `$item`.
 *
 * @param variables - values by name; null if they are not known
 * @returns null if there is no data
 */
export const toSample = (
  graph: DraftGraph,
  types: DeclaredTypes,
  { data, id, variables }: Readonly<{ data: DraftData; id: string; variables: JsonObject | null }>,
): Readonly<Record<string, unknown>> | null => {
  const input = findInput(graph, data, id);
  const known = [...findBefore(graph, id)].filter((one) => Object.keys(outputsOf(data, one)).length > 0);
  if (input === null && known.length === 0) return null;
  const trigger = graph.definition.nodes.find(
    (node) => isTrigger(node, types) && Object.hasOwn(data, node.id),
  );
  const each = findOwners(graph, id).find(({ output }) => output === EACH_OUTPUT);
  const item = each === undefined ? undefined : outputsOf(data, each.nodeId)[EACH_OUTPUT]?.item;
  return {
    ...input,
    ...(item === undefined ? {} : { $item: item }),
    $nodes: Object.fromEntries(known.map((one) => [one, findRead(graph, data, id, one)])),
    $trigger: trigger === undefined ? {} : mainOf(outputsOf(data, trigger.id)),
    $vars: variables ?? {},
    $execution: {
      id: 'trial',
      workflowId: String(graph.definition.id ?? ''),
      workflowVersion: 0,
      ...(trigger === undefined ? {} : { trigger: { nodeId: trigger.id, type: trigger.type } }),
    },
  };
};
