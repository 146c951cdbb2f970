import type { EditedConnection, EditedDefinition, EditedNode } from './definition-edits.ts';

/** Two changes of one version, as one definition. */
export interface Merged {
  readonly definition: EditedDefinition;
  /** Ids of nodes, and names of other members, that both changed in different ways; they are as in `mine`. */
  readonly conflicts: readonly string[];
}

const isEqual = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const keyOf = ({
  sourceNodeId,
  sourceOutput = 'main',
  targetNodeId,
  targetInput = 'main',
}: EditedConnection) => JSON.stringify([sourceNodeId, sourceOutput, targetNodeId, targetInput]);

/**
 * Merges what two people made of one version, node by node, connection by connection.
 *
 * @param base - the version that both began with
 */
export const mergeDefinitions = (
  base: EditedDefinition,
  mine: EditedDefinition,
  theirs: EditedDefinition,
): Merged => {
  const conflicts: string[] = [];
  /** The value to keep; undefined for none. */
  const choose = <Value>(name: string, was: Value, my: Value, their: Value): Value => {
    if (isEqual(my, their) || isEqual(was, their)) return my;
    if (isEqual(was, my)) return their;
    conflicts.push(name);
    return my;
  };
  const mergeLists = <Item>(
    key: (item: Item) => string,
    nameOf: (item: Item) => string,
    [was, my, their]: readonly (readonly Item[])[],
  ): readonly Item[] => {
    const [before, own, other] = [was, my, their].map(
      (list) => new Map((list ?? []).map((item) => [key(item), item] as const)),
    );
    // Theirs come after mine, as if they had been added later.
    const all = new Map([...(own ?? []), ...(other ?? []), ...(before ?? [])]);
    return [...all].flatMap(([id, item]) => {
      const kept = choose(nameOf(item), before?.get(id), own?.get(id), other?.get(id));
      return kept === undefined ? [] : [kept];
    });
  };
  const nodes = mergeLists<EditedNode>(
    ({ id }) => id,
    ({ id }) => id,
    [base.nodes, mine.nodes, theirs.nodes],
  );
  const known = new Set(nodes.map(({ id }) => id));
  const connections = mergeLists<EditedConnection>(
    keyOf,
    ({ sourceNodeId }) => sourceNodeId,
    [base, mine, theirs].map(({ connections: list = [] }) => list),
  ).filter((one) => {
    if (known.has(one.sourceNodeId) && known.has(one.targetNodeId)) return true;
    // One removed the node, and the other connected it.
    if (!(base.connections ?? []).some((other) => keyOf(other) === keyOf(one)))
      conflicts.push(known.has(one.sourceNodeId) ? one.targetNodeId : one.sourceNodeId);
    return false;
  });
  const names = [...new Set([...Object.keys(mine), ...Object.keys(theirs)])];
  const definition = Object.fromEntries(
    names.flatMap((name) => {
      if (name === 'nodes') return [[name, nodes]];
      if (name === 'connections') return [[name, connections]];
      const kept = choose(name, base[name], mine[name], theirs[name]);
      return kept === undefined ? [] : [[name, kept]];
    }),
  ) as unknown as EditedDefinition;
  return { definition, conflicts: [...new Set(conflicts)] };
};
