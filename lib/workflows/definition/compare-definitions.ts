import { isDeepStrictEqual } from 'node:util';
import { isPlainObject, type WorkflowNode } from '@hookloom/plugin-kit';
import type { Connection, WorkflowDefinition } from './definition.ts';

/** A value that two definitions have differently. */
interface Change {
  /** A JSON pointer (RFC 6901). */
  readonly path: string;
  /** Absent if it was added. */
  readonly from?: unknown;
  /** Absent if it was removed. */
  readonly to?: unknown;
}

interface DefinitionDifference {
  readonly nodes: {
    readonly added: readonly WorkflowNode[];
    readonly removed: readonly WorkflowNode[];
    /** Paths are relative to the node: `/parameters/url`. */
    readonly changed: readonly { readonly id: string; readonly changes: readonly Change[] }[];
  };
  readonly connections: { readonly added: readonly Connection[]; readonly removed: readonly Connection[] };
  /** Everything else: `/name`, `/settings/execution`. */
  readonly workflow: readonly Change[];
}

/**
 * What to change in one definition to get the other. Nodes are the same if they have the same id; neither their order nor
 * the order of connections counts.
 */
export const compareDefinitions = (
  from: WorkflowDefinition,
  to: WorkflowDefinition,
): DefinitionDifference => {
  const { nodes: nodesBefore, connections: connectionsBefore, ...restBefore } = from;
  const { nodes, connections, ...rest } = to;
  const before = new Map(nodesBefore.map((node) => [node.id, node]));
  const after = new Map(nodes.map((node) => [node.id, node]));
  return {
    nodes: {
      added: nodes.filter(({ id }) => !before.has(id)),
      removed: nodesBefore.filter(({ id }) => !after.has(id)),
      changed: nodes.flatMap((node) => {
        const former = before.get(node.id);
        const changes = former === undefined ? [] : compareValues(former, node);
        return changes.length === 0 ? [] : [{ id: node.id, changes }];
      }),
    },
    connections: {
      added: without(connections, connectionsBefore),
      removed: without(connectionsBefore, connections),
    },
    workflow: compareValues(restBefore, rest),
  };
};

/** Maps are compared key by key, everything else as a whole: of a list, an index says little once an item is inserted. */
const compareValues = (from: unknown, to: unknown, path = ''): Change[] => {
  if (!isPlainObject(from) || !isPlainObject(to))
    return isDeepStrictEqual(from, to) ? [] : [{ path, from, to }];
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].flatMap((key): Change[] => {
    const place = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!Object.hasOwn(to, key)) return [{ path: place, from: from[key] }];
    if (!Object.hasOwn(from, key)) return [{ path: place, to: to[key] }];
    return compareValues(from[key], to[key], place);
  });
};

/** The connections that are not among others. */
const without = (connections: readonly Connection[], others: readonly Connection[]): Connection[] => {
  const known = new Set(others.map(toKey));
  return connections.filter((connection) => !known.has(toKey(connection)));
};

const toKey = ({
  sourceNodeId,
  sourceOutput = 'main',
  targetNodeId,
  targetInput = 'main',
}: Connection): string => JSON.stringify([sourceNodeId, sourceOutput, targetNodeId, targetInput]);
