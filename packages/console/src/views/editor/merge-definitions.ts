import { connectionKey } from '../../parts/graph/graph-layout.ts';
import type { EditedConnection, EditedDefinition, EditedNode } from './definition/definition-edits.ts';

/** What both changed in different ways; undefined where it was removed. */
export interface Conflict {
  /** What it is, such as `node fetch` or `workflow name`. */
  readonly name: string;
  readonly was: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
}

const isEqual = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const byKey = <Item>(list: readonly Item[], key: (item: Item) => string): ReadonlyMap<string, Item> =>
  new Map(list.map((item) => [key(item), item] as const));

/**
 * Merges what two people made of one version, node by node, connection by connection.
 *
 * @param base - the version that both began with
 * @param taken - names of the conflicts in which theirs is kept; mine is, in all others
 * @returns both changes as one definition, and what both changed
 */
export const mergeDefinitions = (
  base: EditedDefinition,
  mine: EditedDefinition,
  theirs: EditedDefinition,
  taken: ReadonlySet<string> = new Set(),
) => {
  const conflicts: Conflict[] = [];
  const settle = <Value>(name: string, was: Value, my: Value, their: Value): Value => {
    conflicts.push({ name, was, mine: my, theirs: their });
    return taken.has(name) ? their : my;
  };
  /** The value to keep; undefined for none. */
  const choose = <Value>(name: string, was: Value, my: Value, their: Value): Value => {
    if (isEqual(my, their) || isEqual(was, their)) return my;
    return isEqual(was, my) ? their : settle(name, was, my, their);
  };
  const all = [base, mine, theirs] as const;
  const [wereConnected, myConnected, theirConnected] = all.map(({ connections: list = [] }) =>
    byKey(list, connectionKey),
  ) as [Connections, Connections, Connections];
  const isNewlyConnected = (id: string, list: Connections): boolean =>
    [...list].some(
      ([key, { sourceNodeId, targetNodeId }]) =>
        !wereConnected.has(key) && (sourceNodeId === id || targetNodeId === id),
    );
  const [wereNodes, myNodes, theirNodes] = all.map(({ nodes: list }) => byKey(list, ({ id }) => id)) as [
    Nodes,
    Nodes,
    Nodes,
  ];
  // Theirs come after mine, as if they had been added later.
  const ids = new Set([...myNodes.keys(), ...theirNodes.keys(), ...wereNodes.keys()]);
  const nodes = [...ids].flatMap((id) => {
    const [was, my, their] = [wereNodes.get(id), myNodes.get(id), theirNodes.get(id)];
    const isRemovedInUse =
      was !== undefined &&
      ((my === undefined && their !== undefined && isNewlyConnected(id, theirConnected)) ||
        (their === undefined && my !== undefined && isNewlyConnected(id, myConnected)));
    const name = `node ${id}`;
    const kept = isRemovedInUse ? settle(name, was, my, their) : choose(name, was, my, their);
    return kept === undefined ? [] : [kept];
  });
  const known = new Set(nodes.map(({ id }) => id));
  // The connections of a node that one of the two removed go with the choice of the node.
  const removed = new Set(
    conflicts.flatMap(({ name, mine: my, theirs: their }) =>
      my === undefined || their === undefined ? [name] : [],
    ),
  );
  const keys = new Set([...myConnected.keys(), ...theirConnected.keys(), ...wereConnected.keys()]);
  const connections = [...keys].flatMap((key) => {
    const [was, my, their] = [wereConnected.get(key), myConnected.get(key), theirConnected.get(key)];
    const one = my ?? their ?? was;
    if (one === undefined || !known.has(one.sourceNodeId) || !known.has(one.targetNodeId)) return [];
    const ends = [`node ${one.sourceNodeId}`, `node ${one.targetNodeId}`].filter((name) => removed.has(name));
    const name = `connection ${one.sourceNodeId} → ${one.targetNodeId}`;
    const kept =
      ends.length === 0 ? choose(name, was, my, their) : ends.some((end) => taken.has(end)) ? their : my;
    return kept === undefined ? [] : [kept];
  });
  const names = [...new Set([...Object.keys(mine), ...Object.keys(theirs)])];
  const definition = Object.fromEntries(
    names.flatMap((name) => {
      if (name === 'nodes') return [[name, nodes]];
      if (name === 'connections') return [[name, connections]];
      const kept = choose(`workflow ${name}`, base[name], mine[name], theirs[name]);
      return kept === undefined ? [] : [[name, kept]];
    }),
  ) as unknown as EditedDefinition;
  return { definition, conflicts };
};

type Nodes = ReadonlyMap<string, EditedNode>;
type Connections = ReadonlyMap<string, EditedConnection>;
