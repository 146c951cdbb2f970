import { MAIN_OUTPUT } from '../contract/node.ts';
import type { FindNodeType } from '../contract/node-type.ts';
import type { Connection, WorkflowDefinition } from './definition.ts';
import type { Problem } from './problem.ts';

/** Names that mean something to JavaScript's objects. */
const RESERVED_IDS = new Set(['__proto__', 'constructor', 'prototype']);

/** Ids and connections: what hangs together, and what does not. */
export const checkGraph = (definition: WorkflowDefinition, findNodeType: FindNodeType): Problem[] => [
  ...checkIds(definition),
  ...checkConnections(definition, findNodeType),
];

const checkIds = ({ id, nodes }: WorkflowDefinition): Problem[] => {
  const problems: Problem[] = [];
  if (RESERVED_IDS.has(id)) problems.push({ path: '/id', message: `"${id}" is a reserved name` });
  const firstUse = new Map<string, number>();
  nodes.forEach((node, index) => {
    const path = `/nodes/${index}/id`;
    const before = firstUse.get(node.id);
    if (RESERVED_IDS.has(node.id)) problems.push({ path, message: `"${node.id}" is a reserved name` });
    if (before !== undefined)
      problems.push({ path, message: `"${node.id}" is the id of /nodes/${before} already` });
    else firstUse.set(node.id, index);
  });
  return problems;
};

const checkConnections = (
  { nodes, connections }: WorkflowDefinition,
  findNodeType: FindNodeType,
): Problem[] => {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const firstUse = new Map<string, number>();
  return connections.flatMap((connection, index) => {
    const path = `/connections/${index}`;
    const problems: Problem[] = [];
    for (const end of ['sourceNodeId', 'targetNodeId'] as const) {
      if (!byId.has(connection[end])) {
        problems.push({ path: `${path}/${end}`, message: `there is no node "${connection[end]}"` });
      }
    }
    const target = byId.get(connection.targetNodeId);
    if (target !== undefined && findNodeType(target.type)?.kind === 'trigger') {
      problems.push({
        path: `${path}/targetNodeId`,
        message: `"${target.id}" is a trigger: nothing leads into it`,
      });
    }
    const key = keyOf(connection);
    const before = firstUse.get(key);
    if (before !== undefined) problems.push({ path, message: `is the same as /connections/${before}` });
    else firstUse.set(key, index);
    return problems;
  });
};

const keyOf = ({ sourceNodeId, sourceOutput, targetNodeId, targetInput }: Connection): string =>
  JSON.stringify([sourceNodeId, sourceOutput ?? MAIN_OUTPUT, targetNodeId, targetInput ?? MAIN_OUTPUT]);
