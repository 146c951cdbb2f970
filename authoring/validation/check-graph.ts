import { MAIN_OUTPUT } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { didYouMean, quote } from '../../lib/shared/describe.ts';
import type { FindNearest } from '../../lib/shared/near-name.ts';
import type { Connection, WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import type { Problem } from '../../lib/workflows/definition/problem.ts';
import { NAMELESS } from './graph/read-draft.ts';

/** Names with a special meaning in JavaScript objects. */
const RESERVED_IDS = new Set(['__proto__', 'constructor', 'prototype']);

/** Checks ids, and that the nodes of connections exist. */
export const checkGraph = (
  definition: WorkflowDefinition,
  findNodeType: FindNodeType,
  findNearest: FindNearest,
): Problem[] => [...checkIds(definition), ...checkConnections(definition, findNodeType, findNearest)];

const checkIds = ({ id, nodes }: WorkflowDefinition): Problem[] => {
  const problems: Problem[] = [];
  if (RESERVED_IDS.has(id)) problems.push({ path: '/id', message: `${quote(id)} is a reserved name` });
  const firstUse = new Map<string, number>();
  nodes.forEach((node, index) => {
    const path = `/nodes/${index}/id`;
    const before = firstUse.get(node.id);
    if (RESERVED_IDS.has(node.id)) problems.push({ path, message: `${quote(node.id)} is a reserved name` });
    if (before !== undefined)
      problems.push({ path, message: `${quote(node.id)} is already the id of /nodes/${before}` });
    else firstUse.set(node.id, index);
  });
  return problems;
};

const checkConnections = (
  { nodes, connections }: WorkflowDefinition,
  findNodeType: FindNodeType,
  findNearest: FindNearest,
): Problem[] => {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const idOfName = new Map(nodes.flatMap(({ name, id }) => (typeof name === 'string' ? [[name, id]] : [])));
  const firstUse = new Map<string, number>();
  return connections.flatMap((connection, index) => {
    const path = `/connections/${index}`;
    const problems: Problem[] = [];
    for (const end of ['sourceNodeId', 'targetNodeId'] as const) {
      const id = connection[end];
      // The missing node may be one with an invalid id.
      if (byId.has(id) || byId.has(NAMELESS)) continue;
      const near = idOfName.get(id) ?? findNearest(id, byId.keys());
      problems.push({ path: `${path}/${end}`, message: `there is no node ${quote(id)}${didYouMean(near)}` });
    }
    const target = byId.get(connection.targetNodeId);
    if (target !== undefined && findNodeType(target.type)?.kind === 'trigger') {
      problems.push({
        path: `${path}/targetNodeId`,
        message: `${quote(target.id)} is a trigger: nothing can connect to it`,
      });
    }
    const key = keyOf(connection);
    const before = firstUse.get(key);
    if (before !== undefined) problems.push({ path, message: `duplicates /connections/${before}` });
    else firstUse.set(key, index);
    return problems;
  });
};

const keyOf = ({ sourceNodeId, sourceOutput, targetNodeId, targetInput }: Connection): string =>
  JSON.stringify([sourceNodeId, sourceOutput ?? MAIN_OUTPUT, targetNodeId, targetInput ?? MAIN_OUTPUT]);
