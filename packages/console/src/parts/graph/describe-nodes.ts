import type { DrawnNode, DrawnWorkflow } from './graph-layout.ts';

/** What each node leads to, by its id: the names of the nodes, each with the output that leads there unless it is `main`. */
export const describeNext = ({ nodes, connections = [] }: DrawnWorkflow): ReadonlyMap<string, string> => {
  const names = new Map(nodes.map((node) => [node.id, nameOfNode(node)]));
  const next = Map.groupBy(
    connections.filter(({ targetNodeId }) => names.has(targetNodeId)),
    ({ sourceNodeId }) => sourceNodeId,
  );
  return new Map(
    nodes.map(({ id }) => [
      id,
      (next.get(id) ?? [])
        .map(({ sourceOutput = 'main', targetNodeId }) => {
          const name = names.get(targetNodeId) ?? targetNodeId;
          return sourceOutput === 'main' ? name : `${name} on ${sourceOutput}`;
        })
        .join(', '),
    ]),
  );
};

const nameOfNode = ({ id, name }: DrawnNode): string => name ?? id;

/**
 * The name of a node: first what it shows, as speech control needs it.
 *
 * @param states - what else is drawn of it
 * @param next - of `describeNext`
 */
export const describeNode = (node: DrawnNode, states: readonly string[], next = ''): string =>
  [
    `${nameOfNode(node)}, ${node.type}`,
    ...(node.disabled === true ? ['disabled'] : []),
    ...states,
    next === '' ? 'the end' : `then ${next}`,
  ].join(', ');
