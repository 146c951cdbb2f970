import { ERROR_OUTPUT, MAIN_OUTPUT, RESPONSE_OUTPUT } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { didYouMean, quote, quoteAll } from '../../../lib/shared/describe.ts';
import type { FindNearest } from '../../../lib/shared/near-name.ts';
import type { Connection, WorkflowDefinition } from '../../../lib/workflows/definition/definition.ts';
import type { Problem } from '../../../lib/workflows/definition/problem.ts';
import { type DraftEdge, type DraftGraph, type DraftNode, NAMELESS } from './graph/draft-graph.ts';
import { type Proposed, proposeAdditions, proposeRemoval, proposeValue } from './proposals/proposal.ts';

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
      const message = `there is no node ${quote(id)}${didYouMean(near)}`;
      problems.push({ path: `${path}/${end}`, message, ...proposeValue(`${path}/${end}`, near) });
    }
    const target = byId.get(connection.targetNodeId);
    if (target !== undefined && findNodeType(target.type)?.kind === 'trigger') {
      problems.push({
        path: `${path}/targetNodeId`,
        message: `${quote(target.id)} is a trigger: nothing can connect to it`,
      });
    }
    const key = connectionKeyOf(connection);
    const before = firstUse.get(key);
    if (before !== undefined)
      problems.push({ path, message: `duplicates /connections/${before}`, ...proposeRemoval(path) });
    else firstUse.set(key, index);
    return problems;
  });
};

const connectionKeyOf = ({ sourceNodeId, sourceOutput, targetNodeId, targetInput }: Connection): string =>
  JSON.stringify([sourceNodeId, sourceOutput ?? MAIN_OUTPUT, targetNodeId, targetInput ?? MAIN_OUTPUT]);

/** Checks that connections start at outputs of their source and end at inputs of their target. */
export const checkEnds = (
  { nodes, edges }: DraftGraph,
  { connections }: Pick<WorkflowDefinition, 'connections'>,
  findNearest: FindNearest,
): Problem[] =>
  edges.flatMap((edge) => {
    const source = nodes[edge.source];
    const target = nodes[edge.target];
    const connection = connections[edge.index];
    if (source === undefined || target === undefined || connection === undefined) return [];
    const place = `/connections/${edge.index}`;
    const ends = [
      ['sourceOutput', describeOutput(edge, source, findNearest)],
      ['targetInput', describeInput(edge, target, findNearest)],
    ] as const;
    return ends.flatMap(([key, wrong]) =>
      wrong === null ? [] : [toEndProblem(connection[key] === undefined ? place : `${place}/${key}`, wrong)],
    );
  });

/** What is wrong with an end of a connection, and the name that was meant, or what else corrects it. */
interface WrongEnd {
  readonly message: string;
  readonly meant?: string | null;
  readonly proposed?: Proposed;
}

const toEndProblem = (path: string, { message, meant = null, proposed }: WrongEnd): Problem => ({
  path,
  message: `${message}${didYouMean(meant)}`,
  ...(proposed ?? proposeValue(path, meant)),
});

/** Problem of a connection's output; null when it is valid or known only at run time. */
const describeOutput = (
  { output }: DraftEdge,
  { index, node, nodeType, outputs, isDisabled, routesErrors }: DraftNode,
  findNearest: FindNearest,
): WrongEnd | null => {
  // Reported by the schema.
  if (typeof output !== 'string' || output === '') return null;
  if (nodeType === null) return null;
  if (output === RESPONSE_OUTPUT)
    return { message: `${quote(RESPONSE_OUTPUT)} answers the caller: nothing can connect from it` };
  if (outputs === null || outputs.has(output)) return null;
  if (output === ERROR_OUTPUT) {
    if (routesErrors) return null;
    const message = `${quote(node.id)} delivers on ${quote(ERROR_OUTPUT)} only with "onError": "route" in its settings`;
    const place = `/nodes/${index}/settings`;
    const { settings = null } = node;
    // A key that is written wrongly is corrected, not written again.
    const isThere = findNearest(settings === null ? 'settings' : 'onError', Object.keys(settings ?? node));
    if (isThere !== null) return { message };
    const proposed = proposeAdditions([
      settings === null ? [place, { onError: 'route' }] : [`${place}/onError`, 'route'],
    ]);
    return { message, proposed };
  }
  if (isDisabled && output === MAIN_OUTPUT) return null;
  if (outputs.size === 0) return { message: `${quote(node.id)} has no outputs` };
  const has = quoteAll(outputs);
  return output === MAIN_OUTPUT
    ? { message: `${quote(node.id)} has no output ${quote(MAIN_OUTPUT)}: set sourceOutput to one of: ${has}` }
    : {
        message: `${quote(node.id)} has no output ${quote(output)}, but ${has}`,
        meant: findNearest(output, outputs),
      };
};

const describeInput = (
  { index, input }: DraftEdge,
  { node, nodeType }: DraftNode,
  findNearest: FindNearest,
): WrongEnd | null => {
  if (typeof input !== 'string' || input === '' || nodeType === null) return null;
  const { inputs, kind } = nodeType;
  if (kind === 'trigger' || inputs.includes(input)) return null; // nothing leads into a trigger anyway
  if (inputs.every((name) => name === MAIN_OUTPUT))
    return {
      message: `${quote(node.id)} has no named inputs: remove targetInput`,
      proposed: proposeRemoval(`/connections/${index}/targetInput`),
    };
  const has = quoteAll(inputs);
  return input === MAIN_OUTPUT
    ? { message: `${quote(node.id)} has no input ${quote(MAIN_OUTPUT)}: set targetInput to one of: ${has}` }
    : {
        message: `${quote(node.id)} has no input ${quote(input)}, but ${has}`,
        meant: findNearest(input, inputs),
      };
};
