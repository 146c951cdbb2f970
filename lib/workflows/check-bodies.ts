import { MAIN_OUTPUT } from '../contract/node.ts';
import type { FindNodeType } from '../contract/node-type.ts';
import type { Connection, WorkflowDefinition } from './definition.ts';
import type { Problem } from './problem.ts';

/**
 * The body of a node, which it runs itself, is entered through that node alone, and nothing leads out of it or back:
 * what leaves the node on its other outputs goes on from there.
 */
export const findBodyProblems = (
  { nodes, connections }: WorkflowDefinition,
  findNodeType: FindNodeType,
): Problem[] => {
  const bodyOutputs = new Map(nodes.map(({ id, type }) => [id, findNodeType(type)?.control?.bodyOutput]));
  const isEntry = ({ sourceNodeId, sourceOutput = MAIN_OUTPUT }: Connection): boolean =>
    bodyOutputs.get(sourceNodeId) === sourceOutput;
  const bySource = Map.groupBy(connections, ({ sourceNodeId }) => sourceNodeId);

  return [...bodyOutputs].flatMap(([owner, output]) => {
    if (output === undefined) return [];
    const entries = (bySource.get(owner) ?? []).filter(isEntry);
    const body = new Set<string>();
    const work = entries.map(({ targetNodeId }) => targetNodeId);
    for (let id = work.pop(); id !== undefined; id = work.pop()) {
      if (body.has(id)) continue;
      body.add(id);
      work.push(...(bySource.get(id) ?? []).map(({ targetNodeId }) => targetNodeId));
    }
    if (body.has(owner)) {
      const path = `/nodes/${nodes.findIndex(({ id }) => id === owner)}`;
      return [
        {
          path,
          message: `what is behind its output "${output}" leads back to it: it is run by the node, and ends`,
        },
      ];
    }
    return connections.flatMap((connection, index) => {
      const { sourceNodeId, targetNodeId } = connection;
      const isFromOutside = body.has(targetNodeId) && !body.has(sourceNodeId);
      if (!isFromOutside || (sourceNodeId === owner && isEntry(connection))) return [];
      return [
        {
          path: `/connections/${index}`,
          message: `"${targetNodeId}" is behind the output "${output}" of "${owner}", and is run by it: nothing else leads there`,
        },
      ];
    });
  });
};
