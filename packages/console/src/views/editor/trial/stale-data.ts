import type { DefinitionNode } from '../../workflow/definition.ts';
import {
  type DraftConnection,
  type DraftData,
  type DraftGraph,
  dataOf,
  type NewData,
  type NodeData,
} from './trial-data.ts';

/** 53 bits of a text, by cyrb53 (https://github.com/bryc/code): to see changes, not to withstand anyone. */
export const hashText = (text: string): string => {
  let one = 0xdeadbeef;
  let two = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, 2_654_435_761);
    two = Math.imul(two ^ unit, 1_597_334_677);
  }
  one = Math.imul(one ^ (one >>> 16), 2_246_822_507) ^ Math.imul(two ^ (two >>> 13), 3_266_489_909);
  two = Math.imul(two ^ (two >>> 16), 2_246_822_507) ^ Math.imul(one ^ (one >>> 13), 3_266_489_909);
  return (4_294_967_296 * (2_097_151 & two) + (one >>> 0)).toString(36);
};

/** By the node, which an edit replaces. */
const nodeHashes = new WeakMap<DefinitionNode, string>();

const hashNode = (node: DefinitionNode): string => {
  const known = nodeHashes.get(node);
  if (known !== undefined) return known;
  const { id, type, parameters = {}, settings = {}, credentialId = '', disabled = false } = node;
  const found = hashText(JSON.stringify([id, type, parameters, settings, credentialId, disabled]));
  nodeHashes.set(node, found);
  return found;
};

/**
 * Names the states that the data of nodes depends on, by node id: the node, its body, the nodes before it, their connections
 * and their data. Data with another stamp is stale. Each node is looked at once, so that this can follow every key of an edit.
 */
export const findStamps = (graph: DraftGraph, data: DraftData): ReadonlyMap<string, string> => {
  let found = passStamps(graph, data, NO_STAMPS);
  // Of a loop, the first pass has not seen what is entered again; of a loop in a loop, the second.
  for (let pass = 1; found.hasLoop && pass < 3; pass++) found = passStamps(graph, data, found.stamps);
  return found.stamps;
};

const NO_STAMPS: ReadonlyMap<string, string> = new Map();

/** In a map of stamps, what the body of a node begins with: it does not depend on the nodes of the body. */
const bodyKey = (id: string): string => `${id}/body`;

/** In a map of stamps, what a connection delivers. */
const sourceKey = (bodies: DraftGraph['bodies'], sourceNodeId: string, sourceOutput: string): string =>
  bodies.get(sourceNodeId)?.output === sourceOutput ? bodyKey(sourceNodeId) : sourceNodeId;

/** Whether a connection delivers data that is stale. Pinned data is taken as it is. */
export const isDeliveryStale = (
  { bodies }: DraftGraph,
  { data, stamps }: { readonly data: DraftData; readonly stamps: ReadonlyMap<string, string> },
  { sourceNodeId, sourceOutput = 'main' }: DraftConnection,
): boolean => {
  const own = dataOf(data, sourceNodeId);
  if (own === undefined || own.isPinned || own.from === 'example') return false;
  const key = sourceKey(bodies, sourceNodeId, sourceOutput);
  return stamps.get(key) !== (key === sourceNodeId ? own.stamp : own.bodyStamp);
};

const passStamps = (
  { definition, nodes, into, bodies }: DraftGraph,
  data: DraftData,
  earlier: ReadonlyMap<string, string>,
) => {
  const stamps = new Map<string, string>();
  const begun = new Set<string>();
  let hasLoop = false;
  const stateOf = (one: DefinitionNode): string => {
    const lines = (into.get(one.id) ?? []).map(
      ({ sourceNodeId, sourceOutput = 'main', targetInput = 'main' }) =>
        `${sourceNodeId} ${sourceOutput} ${targetInput}`,
    );
    return [hashNode(one), ...lines].join(' ');
  };
  const open = definition.nodes.toReversed();
  for (let node = open.at(-1); node !== undefined; node = open.at(-1)) {
    const incoming = into.get(node.id) ?? [];
    begun.add(node.id);
    const missing = incoming.flatMap(({ sourceNodeId }) =>
      begun.has(sourceNodeId) ? [] : (nodes.get(sourceNodeId) ?? []),
    );
    if (missing.length > 0) {
      open.push(...missing);
      continue;
    }
    open.pop();
    if (stamps.has(node.id)) continue;
    const parts = incoming.map(({ sourceNodeId, sourceOutput = 'main', targetInput = 'main' }) => {
      const id = Object.hasOwn(data, sourceNodeId) ? data[sourceNodeId]?.id : '';
      const key = sourceKey(bodies, sourceNodeId, sourceOutput);
      const stamp = stamps.get(key);
      hasLoop ||= stamp === undefined && begun.has(sourceNodeId);
      return [sourceNodeId, sourceOutput, targetInput, id, stamp ?? earlier.get(key)].join(' ');
    });
    const own = hashText([hashNode(node), ...parts].join('\n'));
    const body = bodies.get(node.id);
    if (body !== undefined) stamps.set(bodyKey(node.id), own);
    stamps.set(node.id, body === undefined ? own : hashText([own, ...body.nodes.map(stateOf)].join('\n')));
  }
  return { stamps, hasLoop };
};

/** Ids of the nodes whose data was made before the node, its body or what is before it was changed. */
export const findStale = (graph: DraftGraph, data: DraftData): ReadonlySet<string> => {
  const stamps = findStamps(graph, data);
  return new Set(
    Object.entries(data).flatMap(([id, { stamp, from }]) =>
      from === 'example' || !stamps.has(id) || stamp === stamps.get(id) ? [] : [id],
    ),
  );
};

/** The stamp of what the body of a node begins with; nothing without a body. */
export const bodyStampOf = (stamps: ReadonlyMap<string, string>, id: string): Pick<NodeData, 'bodyStamp'> => {
  const bodyStamp = stamps.get(bodyKey(id));
  return bodyStamp === undefined ? {} : { bodyStamp };
};

/** Adds data that one run made, stamped with the definition that it ran. */
export const addData = (
  graph: DraftGraph,
  data: DraftData,
  added: Readonly<Record<string, NewData>>,
): DraftData => {
  const next = { ...data, ...(added as DraftData) };
  const stamps = findStamps(graph, next);
  const stamped = Object.entries(added).map(
    ([id, own]) => [id, { ...own, stamp: stamps.get(id) ?? '', ...bodyStampOf(stamps, id) }] as const,
  );
  return { ...next, ...Object.fromEntries(stamped) };
};

/** The data under the new id of a renamed node; what was not stale stays so. */
export const renameData = (
  data: DraftData,
  renamed: Readonly<Record<'from' | 'to', string>> & Readonly<Record<'before' | 'after', DraftGraph>>,
): DraftData => {
  const { from, to, before, after } = renamed;
  const stampsBefore = findStamps(before, data);
  // The data of the old id stays, for an undo.
  const all = Object.hasOwn(data, from) ? { ...data, [to]: data[from] as NodeData } : data;
  const stamps = findStamps(after, all);
  return Object.fromEntries(
    Object.entries(all).map(([id, own]) => {
      const old = id === to ? from : id;
      const stamp = own.stamp === stampsBefore.get(old) ? stamps.get(id) : undefined;
      const isBodyFresh = own.bodyStamp === stampsBefore.get(bodyKey(old));
      const fresh = { ...(stamp !== undefined && { stamp }), ...(isBodyFresh && bodyStampOf(stamps, id)) };
      return [id, { ...own, ...fresh }];
    }),
  );
};
