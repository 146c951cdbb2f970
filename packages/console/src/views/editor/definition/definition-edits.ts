import { workflowSchema } from '../../../../../../lib/workflows/definition/schema.ts';
import { connectionKey, layOut, type OutputsOf } from '../../../parts/graph/graph-layout.ts';
import type { DefinitionNode } from '../../workflow/definition.ts';
import { isSameJson } from './compare-json.ts';
import { renameReferences } from './rename-references.ts';

/** A place on the canvas, in pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface EditedNode extends DefinitionNode {
  /** Only if someone moved it or tidied the layout; other programs may have written a list. */
  readonly position?: Point | readonly number[];
}

export interface EditedConnection {
  readonly sourceNodeId: string;
  readonly sourceOutput?: string;
  readonly targetNodeId: string;
  readonly targetInput?: string;
}

/** A workflow while it is edited: it may be invalid. Unknown members are kept. */
export interface EditedDefinition {
  readonly nodes: readonly EditedNode[];
  readonly connections?: readonly EditedConnection[];
  readonly [key: string]: unknown;
}

/** A change of a definition. It returns the definition itself if there is nothing to change. */
export type Edit = (definition: EditedDefinition) => EditedDefinition;

const MAX_ID = 64;

/** The order in which the samples write the members of a workflow, and of a node. */
const WORKFLOW_MEMBERS = Object.keys(workflowSchema.properties);
const NODE_MEMBERS = Object.keys(workflowSchema.properties.nodes.items.properties);

const connectionsOf = ({ connections = [] }: EditedDefinition): readonly EditedConnection[] => connections;

const isSameConnection = (one: EditedConnection, other: EditedConnection): boolean =>
  connectionKey(one) === connectionKey(other);

/** Without what is the default. */
const tidyConnection = ({ sourceNodeId, sourceOutput, targetNodeId, targetInput }: EditedConnection) => ({
  sourceNodeId,
  ...(sourceOutput === undefined || sourceOutput === 'main' ? {} : { sourceOutput }),
  targetNodeId,
  ...(targetInput === undefined || targetInput === 'main' ? {} : { targetInput }),
});

/** An id that no node has: `base`, or with the first free number behind it. */
const freeId = (base: string, taken: ReadonlySet<string>): string => {
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? '' : String(number);
    const id = base.slice(0, MAX_ID - suffix.length) + suffix;
    if (!taken.has(id)) return id;
  }
};

export const idsOf = ({ nodes }: EditedDefinition): Set<string> => new Set(nodes.map(({ id }) => id));

/** The id that a person would choose for a new node: `set`, then `set2`; `webhook` for a `webhookTrigger`. */
export const chooseId = (definition: EditedDefinition, type: string): string => {
  const short = (type.split(/[.:/]/).at(-1) ?? type).replaceAll(/[^A-Za-z0-9_-]/g, '');
  const base = short.endsWith('Trigger') && short !== 'Trigger' ? short.slice(0, -'Trigger'.length) : short;
  return freeId(base === '' ? 'node' : base, idsOf(definition));
};

/** A new node. Without a `position`, the layout finds its place. */
export const addNode =
  (node: EditedNode): Edit =>
  (definition) => ({ ...definition, nodes: [...definition.nodes, node] });

/** Connects two nodes, unless they are. */
export const connectNodes =
  (connection: EditedConnection): Edit =>
  (definition) => {
    const connections = connectionsOf(definition);
    return connections.some((one) => isSameConnection(one, connection))
      ? definition
      : { ...definition, connections: [...connections, tidyConnection(connection)] };
  };

export const disconnectNodes =
  (connection: EditedConnection): Edit =>
  (definition) => {
    const connections = connectionsOf(definition);
    const left = connections.filter((one) => !isSameConnection(one, connection));
    return left.length === connections.length ? definition : { ...definition, connections: left };
  };

/**
 * Puts a new node into a connection, whose place in the list it keeps: the order decides how inputs are merged.
 *
 * @param output - of the new node, where the connection continues
 */
export const insertNode =
  (node: EditedNode, connection: EditedConnection, output = 'main'): Edit =>
  (definition) => ({
    ...definition,
    nodes: [...definition.nodes, node],
    connections: connectionsOf(definition).flatMap((one) => {
      if (!isSameConnection(one, connection)) return [one];
      const { targetInput: _, ...into } = { ...one, targetNodeId: node.id };
      const { targetNodeId, targetInput = 'main' } = one;
      return [
        tidyConnection(into),
        tidyConnection({ sourceNodeId: node.id, sourceOutput: output, targetNodeId, targetInput }),
      ];
    }),
  });

/** Removes nodes with their connections. */
export const removeNodes =
  (ids: ReadonlySet<string>): Edit =>
  (definition) => {
    const nodes = definition.nodes.filter(({ id }) => !ids.has(id));
    if (nodes.length === definition.nodes.length) return definition;
    const connections = definition.connections?.filter(
      ({ sourceNodeId, targetNodeId }) => !ids.has(sourceNodeId) && !ids.has(targetNodeId),
    );
    return { ...definition, nodes, ...(connections === undefined ? {} : { connections }) };
  };

/** Changes members of the workflow besides its nodes; one that is undefined or empty is removed. */
export const changeWorkflow =
  (members: Readonly<Record<string, unknown>>): Edit =>
  (definition) => {
    // `enabled` is true by default, so that false is kept.
    const changed = Object.entries(members).map(([name, value]) => [
      name,
      isEmptyValue(value) ? undefined : value,
    ]);
    const next = withOrder(definition, Object.fromEntries(changed), WORKFLOW_MEMBERS);
    return isSameJson(next, definition) ? definition : (next as unknown as EditedDefinition);
  };

const isEmptyValue = (value: unknown): boolean =>
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

/** A node with some members changed, in the order of the samples; what is undefined, empty or false is left out. */
const withMembers = (node: EditedNode, members: Members): EditedNode => {
  const changed = Object.entries(members).map(([name, value]) => {
    const isDefault =
      value === undefined || value === false || value === '' || (name === 'settings' && isEmptyValue(value));
    return [name, isDefault ? undefined : value];
  });
  return withOrder(node, Object.fromEntries(changed), NODE_MEMBERS) as unknown as EditedNode;
};

/** An object with some members changed, in an order; what is undefined is left out. */
const withOrder = (
  object: object,
  members: Readonly<Record<string, unknown>>,
  order: readonly string[],
): Readonly<Record<string, unknown>> => {
  // As a list, since a member called `__proto__` can't be assigned.
  const entries = Object.entries(object) as [string, unknown][];
  for (const [name, value] of Object.entries(members)) {
    const at = entries.findIndex(([other]) => other === name);
    if (at !== -1)
      entries.splice(at, 1, ...(value === undefined ? [] : [[name, value] as [string, unknown]]));
    else if (value !== undefined) {
      // Before the first member that belongs after it; those that are there keep their order.
      const later = order.slice(order.indexOf(name) + 1);
      const next = entries.findIndex(([other]) => later.includes(other));
      entries.splice(next === -1 ? entries.length : next, 0, [name, value]);
    }
  }
  return Object.fromEntries(entries);
};

type Members = Partial<Record<Exclude<keyof EditedNode, 'id' | 'type'>, unknown>>;

/** Changes members of nodes; one that is undefined, empty or false is removed. Nodes without a change stay the same objects. */
export const changeNodes =
  (changes: ReadonlyMap<string, Members>): Edit =>
  (definition) => {
    const nodes = definition.nodes.map((node) => {
      const members = changes.get(node.id);
      if (members === undefined) return node;
      const changed = withMembers(node, members);
      return isSameJson(changed, node) ? node : changed;
    });
    return isSameJson(nodes, definition.nodes) ? definition : { ...definition, nodes };
  };

export const changeNode = (id: string, members: Members): Edit => changeNodes(new Map([[id, members]]));

/**
 * Gives a node a credential, or none. A webhook is then authenticated as the type of the credential says.
 *
 * @param credential - null for none
 */
export const chooseCredential = (
  { id, type, parameters }: EditedNode,
  credential: { readonly id: string; readonly type: string } | null,
): Edit => {
  if (type !== 'webhookTrigger') return changeNode(id, { credentialId: credential?.id });
  const { authentication: _, ...others } = parameters ?? {};
  return changeNode(id, {
    credentialId: credential?.id,
    parameters: credential === null ? others : { ...(parameters ?? {}), authentication: credential.type },
  });
};

/** Moves nodes to places that someone chose; whole pixels, since no one writes others. */
export const moveNodes = (places: ReadonlyMap<string, Point>): Edit =>
  changeNodes(
    new Map([...places].map(([id, { x, y }]) => [id, { position: { x: Math.round(x), y: Math.round(y) } }])),
  );

export const tidyLayout =
  (outputsOf?: OutputsOf): Edit =>
  (definition) =>
    moveNodes(new Map(layOut(definition, outputsOf).nodes.map(({ node, x, y }) => [node.id, { x, y }])))(
      definition,
    );

/** Whether a node can have an id, and why not; null if it can. */
export const problemOfId = (definition: EditedDefinition, id: string, current: string): string | null => {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(id)) return 'Up to 64 of A-Z a-z 0-9 _ -';
  return id !== current && idsOf(definition).has(id) ? `There is a node "${id}" already` : null;
};

/**
 * Renames nodes with their connections, and with the references to them in all expressions.
 *
 * @param ids - new by old
 * @param literalsOf - names of the parameters of a node type whose braces are literal text
 */
const renameAll = (
  definition: EditedDefinition,
  ids: ReadonlyMap<string, string>,
  literalsOf: LiteralsOf,
): EditedDefinition => {
  const { nodes, connections } = definition;
  const rename = (id: string) => ids.get(id) ?? id;
  const keys = findMergedKeys(nodes, connections);
  const inputKeys = Map.groupBy(
    (connections ?? []).filter(({ sourceNodeId }) => keys.has(sourceNodeId)),
    ({ targetNodeId }) => targetNodeId,
  );
  return {
    ...definition,
    nodes: nodes.map((node) => {
      const renamed = ids.has(node.id) ? { ...node, id: rename(node.id) } : node;
      const { parameters } = node;
      if (parameters === undefined) return renamed;
      const merged = inputKeys.get(node.id) ?? [];
      const keysOfInput = new Set(merged.flatMap(({ sourceNodeId }) => [...(keys.get(sourceNodeId) ?? [])]));
      const renaming = { ids, keys, inputKeys: keysOfInput };
      const changed = renameReferences(parameters, renaming, literalsOf(node.type));
      return changed === parameters ? renamed : { ...renamed, parameters: changed };
    }),
    ...(connections !== undefined && {
      connections: connections.map((one) =>
        ids.has(one.sourceNodeId) || ids.has(one.targetNodeId)
          ? { ...one, sourceNodeId: rename(one.sourceNodeId), targetNodeId: rename(one.targetNodeId) }
          : one,
      ),
    }),
  };
};

/** The keys of each `merge` by node: the ids of the nodes that lead to it. */
const findMergedKeys = (
  nodes: readonly EditedNode[],
  connections: readonly EditedConnection[] = [],
): ReadonlyMap<string, ReadonlySet<string>> => {
  const sources = Map.groupBy(connections, ({ targetNodeId }) => targetNodeId);
  return new Map(
    nodes
      .filter(({ type, parameters }) => type === 'merge' && parameters?.mode === 'byNode')
      .map(
        ({ id }) => [id, new Set((sources.get(id) ?? []).map(({ sourceNodeId }) => sourceNodeId))] as const,
      ),
  );
};

export type LiteralsOf = (type: string) => readonly string[];

/** Gives a node another id, everywhere; see {@link problemOfId} for those that it can have. */
export const renameNode =
  (id: string, newId: string, literalsOf: LiteralsOf): Edit =>
  (definition) =>
    id === newId || problemOfId(definition, newId, id) !== null
      ? definition
      : renameAll(definition, new Map([[id, newId]]), literalsOf);

/** Nodes and the connections among them, as they are copied between definitions and tools. */
export interface Fragment {
  readonly nodes: readonly EditedNode[];
  readonly connections: readonly EditedConnection[];
}

export const takeFragment = (definition: EditedDefinition, ids: ReadonlySet<string>): Fragment => ({
  nodes: definition.nodes.filter(({ id }) => ids.has(id)),
  connections: connectionsOf(definition).filter(
    ({ sourceNodeId, targetNodeId }) => ids.has(sourceNodeId) && ids.has(targetNodeId),
  ),
});

/** An edit that adds nodes, with their ids in the definition that it is for. */
export interface Addition {
  readonly edit: Edit;
  readonly ids: ReadonlySet<string>;
}

/** In pixels: where a copy lies beside what it was made from. */
const PASTE_OFFSET = 40;

/** Adds copies of nodes. An id that is taken gets a number, and the references among the copies follow. */
export const pasteFragment = (
  definition: EditedDefinition,
  { nodes, connections }: Fragment,
  literalsOf: LiteralsOf,
): Addition => {
  const taken = idsOf(definition);
  const known = new Set(nodes.map(({ id }) => id));
  const ids = new Map<string, string>();
  for (const { id } of nodes) {
    const free = taken.has(id) ? freeId(id, new Set([...taken, ...known])) : id;
    if (free !== id) ids.set(id, free);
    taken.add(free);
  }
  const inner = connections.filter(
    ({ sourceNodeId, targetNodeId }) => known.has(sourceNodeId) && known.has(targetNodeId),
  );
  const pasted = renameAll({ nodes, connections: inner }, ids, literalsOf);
  const copies = pasted.nodes.map((node) =>
    isPoint(node.position) && ids.size > 0
      ? { ...node, position: { x: node.position.x + PASTE_OFFSET, y: node.position.y + PASTE_OFFSET } }
      : node,
  );
  return {
    edit: (target) => ({
      ...target,
      nodes: [...target.nodes, ...copies],
      connections: [...connectionsOf(target), ...connectionsOf(pasted)],
    }),
    ids: new Set(copies.map(({ id }) => id)),
  };
};

export const isPoint = (position: unknown): position is Point =>
  typeof position === 'object' &&
  position !== null &&
  Number.isFinite((position as Point).x) &&
  Number.isFinite((position as Point).y);
