import type { JsonValue } from '@hookloom/plugin-kit';
import { type Change, compareValues } from '../../shared/compare-values.ts';
import type { Connection, WorkflowDefinition } from './definition.ts';

/**
 * What to change in one definition to get the other. Nodes are the same if they have the same id; neither their order nor
 * the order of connections counts.
 */
export const compareDefinitions = (from: WorkflowDefinition, to: WorkflowDefinition) => {
  const { nodes: nodesBefore, connections: connectionsBefore, ...restBefore } = from;
  const { nodes, connections, ...rest } = to;
  const before = new Map(nodesBefore.map((node) => [node.id, node]));
  const after = new Map(nodes.map((node) => [node.id, node]));
  return {
    nodes: {
      added: nodes.filter(({ id }) => !before.has(id)),
      removed: nodesBefore.filter(({ id }) => !after.has(id)),
      /** Paths are relative to the node: `/parameters/url`. */
      changed: nodes.flatMap((node) => {
        const former = before.get(node.id);
        const changes = former === undefined ? [] : compareParts(former, node);
        return changes.length === 0 ? [] : [{ id: node.id, changes }];
      }),
    },
    connections: {
      added: withoutConnections(connections, connectionsBefore),
      removed: withoutConnections(connectionsBefore, connections),
    },
    /** Everything else: `/name`, `/settings/execution`. */
    workflow: compareParts(restBefore, rest),
  };
};

/** The parts of definitions are JSON, although their types have optional members. */
const compareParts = (from: object, to: object): readonly Change[] =>
  compareValues(from as JsonValue, to as JsonValue);

/** The connections that are not among others. */
const withoutConnections = (
  connections: readonly Connection[],
  others: readonly Connection[],
): Connection[] => {
  const known = new Set(others.map(connectionKeyOf));
  return connections.filter((connection) => !known.has(connectionKeyOf(connection)));
};

const connectionKeyOf = ({
  sourceNodeId,
  sourceOutput = 'main',
  targetNodeId,
  targetInput = 'main',
}: Connection): string => JSON.stringify([sourceNodeId, sourceOutput, targetNodeId, targetInput]);
