import { ERROR_OUTPUT, MAIN_OUTPUT, RESPONSE_OUTPUT } from '@hookloom/plugin-kit';
import { didYouMean, quote, quoteAll } from '../../lib/shared/describe.ts';
import type { FindNearest } from '../../lib/shared/near-name.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import type { Problem } from '../../lib/workflows/definition/problem.ts';
import type { DraftEdge, DraftGraph, DraftNode } from './graph/draft-graph.ts';

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
    const problems: Problem[] = [];
    const place = `/connections/${edge.index}`;
    const output = describeOutput(edge, source, findNearest);
    if (output !== null) {
      const isWritten = connection.sourceOutput !== undefined;
      problems.push({ path: isWritten ? `${place}/sourceOutput` : place, message: output });
    }
    const input = describeInput(edge, target, findNearest);
    if (input !== null) {
      const isWritten = connection.targetInput !== undefined;
      problems.push({ path: isWritten ? `${place}/targetInput` : place, message: input });
    }
    return problems;
  });

/** Problem of a connection's output; null when it is valid or known only at run time. */
const describeOutput = (
  { output }: DraftEdge,
  { node, nodeType, outputs, isDisabled, routesErrors }: DraftNode,
  findNearest: FindNearest,
): string | null => {
  // Reported by the schema.
  if (typeof output !== 'string' || output === '') return null;
  if (nodeType === null) return null;
  if (output === RESPONSE_OUTPUT)
    return `${quote(RESPONSE_OUTPUT)} answers the caller: nothing can connect from it`;
  if (outputs === null || outputs.has(output)) return null;
  if (output === ERROR_OUTPUT) {
    return routesErrors
      ? null
      : `${quote(node.id)} delivers on ${quote(ERROR_OUTPUT)} only with "onError": "route" in its settings`;
  }
  if (isDisabled && output === MAIN_OUTPUT) return null;
  if (outputs.size === 0) return `${quote(node.id)} has no outputs`;
  const has = quoteAll(outputs);
  const near = output === MAIN_OUTPUT ? null : findNearest(output, outputs);
  return output === MAIN_OUTPUT
    ? `${quote(node.id)} has no output ${quote(MAIN_OUTPUT)}: set sourceOutput to one of: ${has}`
    : `${quote(node.id)} has no output ${quote(output)}, but ${has}${didYouMean(near)}`;
};

const describeInput = (
  { input }: DraftEdge,
  { node, nodeType }: DraftNode,
  findNearest: FindNearest,
): string | null => {
  if (typeof input !== 'string' || input === '' || nodeType === null) return null;
  const { inputs, kind } = nodeType;
  if (kind === 'trigger' || inputs.includes(input)) return null; // nothing leads into a trigger anyway
  if (inputs.every((name) => name === MAIN_OUTPUT))
    return `${quote(node.id)} has no named inputs: remove targetInput`;
  const has = quoteAll(inputs);
  return input === MAIN_OUTPUT
    ? `${quote(node.id)} has no input ${quote(MAIN_OUTPUT)}: set targetInput to one of: ${has}`
    : `${quote(node.id)} has no input ${quote(input)}, but ${has}${didYouMean(findNearest(input, inputs))}`;
};
