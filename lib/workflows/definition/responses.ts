import { ERROR_OUTPUT, MAIN_OUTPUT } from '@hookloom/plugin-kit';
import { isPure, type NodeType } from '@hookloom/plugin-kit/host';
import type { WorkflowDefinition } from './definition.ts';
import { reachFrom } from './reach.ts';

/** The node type that answers webhooks with the response mode `responseNode`. */
export const RESPOND_TO_WEBHOOK = 'respondToWebhook';

/** When callers get the response of a `respondToWebhook` node, for each trigger by its index. */
export interface Responses {
  /**
   * Whether the caller gets it as soon as the node has run, and the run continues: as `continueAfterResponse` says, or
   * else, from format 2 on, if there is a {@link follower}. It is not the rule, since it costs a dispatch.
   */
  isEarly(trigger: number): boolean;
  /**
   * The first node of the file that has a side effect or waits, and can still have to run when a response is there; it
   * delays one that is not early. Undefined if there is none. Different outputs of a node are taken for alternatives.
   */
  follower(trigger: number): number | undefined;
}

type Graph = Pick<WorkflowDefinition, 'format' | 'nodes' | 'connections'>;
type TypeAt = (index: number) => Pick<NodeType, 'pure' | 'control'> | null;

/** @param typeAt - the type of a node by its index; null if it is unknown, which counts as one with side effects */
export const readResponses = (graph: Graph, typeAt: TypeAt): Responses => {
  let followers: ReadonlyMap<number, number> | undefined;
  const follower = (trigger: number): number | undefined => {
    followers ??= findFollowers(graph, typeAt);
    return followers.get(trigger);
  };
  const isEarly = (trigger: number): boolean => {
    const { responseMode, continueAfterResponse } = graph.nodes[trigger]?.parameters ?? {};
    if (typeof continueAfterResponse === 'boolean') return continueAfterResponse;
    return (graph.format ?? 1) > 1 && responseMode === 'responseNode' && follower(trigger) !== undefined;
  };
  return { isEarly, follower };
};

/** The first follower of each node that has one. Takes time proportional to the size of the graph. */
const findFollowers = ({ nodes, connections }: Graph, typeAt: TypeAt): ReadonlyMap<number, number> => {
  const { waysFrom, sourcesOf } = readWays({ nodes, connections }, typeAt);
  const isResponder = (index: number): boolean =>
    nodes[index]?.type === RESPOND_TO_WEBHOOK && nodes[index].disabled !== true;
  const takesTime = (index: number): boolean => {
    const [node, nodeType] = [nodes[index], typeAt(index)];
    return node?.disabled !== true && (nodeType === null || !isPure(nodeType, node?.parameters ?? {}));
  };
  const all = [...nodes.keys()];
  const led = findLed(all.filter(isResponder), sourcesOf);
  // Behind a response, or beside it: another target of an output that leads to it, unless it leads to it too.
  const startsAt = (index: number): readonly number[] =>
    waysFrom(index).flatMap(([output, targets]) => {
      if (isResponder(index)) return output === ERROR_OUTPUT ? [] : targets; // what failed has not responded
      const responders = targets.reduce((bits, target) => bits | (led.get(target) ?? 0), 0);
      return targets.filter((target) => (led.get(target) ?? 0) !== responders);
    });
  const firstSlow = findFirst(
    all.filter(takesTime).map((index) => [index, index]),
    sourcesOf,
  );
  const found = all.flatMap((index) => {
    const slow = startsAt(index).flatMap((start) => firstSlow.get(start) ?? []);
    return slow.length === 0 ? [] : [[index, slow.reduce((a, b) => Math.min(a, b))] as const];
  });
  return findFirst(
    found.sort(([, a], [, b]) => a - b),
    sourcesOf,
  );
};

type Next = (node: number) => readonly number[];

/** For each node that leads to a seed, what stands with the first such seed. */
const findFirst = (
  seeds: readonly (readonly [node: number, value: number])[],
  sourcesOf: Next,
): ReadonlyMap<number, number> => {
  const found = new Map<number, number>();
  for (const [seed, value] of seeds) {
    const leading = reachFrom([seed], (at) => sourcesOf(at).filter((source) => !found.has(source)));
    for (const index of leading) if (!found.has(index)) found.set(index, value);
  }
  return found;
};

/** A bit for each responder that a node leads to. From the 32nd on they share one, to bound the time. */
const findLed = (responders: readonly number[], sourcesOf: Next): ReadonlyMap<number, number> => {
  const led = new Map<number, number>();
  for (let bit = 0; bit < 32 && bit < responders.length; bit++) {
    const roots = bit < 31 ? responders.slice(bit, bit + 1) : responders.slice(bit);
    for (const index of reachFrom(roots, sourcesOf)) led.set(index, (led.get(index) ?? 0) | (1 << bit));
  }
  return led;
};

/** The targets of each output of each node. Without bodies, whose output goes to the node that runs them. */
const readWays = ({ nodes, connections }: Graph, typeAt: TypeAt) => {
  const indexOf = new Map(nodes.map(({ id }, index) => [id, index]));
  const ways = nodes.map(() => new Map<string, number[]>());
  const sources: number[][] = nodes.map(() => []);
  for (const { sourceNodeId, sourceOutput, targetNodeId } of connections) {
    const [source, target] = [indexOf.get(sourceNodeId), indexOf.get(targetNodeId)];
    if (source === undefined || target === undefined) continue;
    const output = sourceOutput ?? MAIN_OUTPUT;
    if (typeAt(source)?.control?.bodyOutput === output) continue;
    const targets = ways[source]?.get(output);
    if (targets === undefined) ways[source]?.set(output, [target]);
    else targets.push(target);
    sources[target]?.push(source);
  }
  return {
    waysFrom: (index: number) => [...(ways[index] ?? [])],
    sourcesOf: (index: number) => sources[index] ?? [],
  };
};
