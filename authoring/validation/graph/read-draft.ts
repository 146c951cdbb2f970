import { isPlainObject, type WorkflowNode } from '@hookloom/plugin-kit';
import type { Connection, WorkflowDefinition } from '../../../lib/workflows/definition/definition.ts';
import { MAX_NODES } from '../../../lib/workflows/definition/schema.ts';

/** The readable parts of a workflow file of any shape. */
interface Draft {
  /** With defaults filled in; for a file of the right shape, the definition itself. */
  readonly definition: WorkflowDefinition;
  /** JSON pointers to values of a wrong shape, replaced by placeholders: further checks skip them. */
  readonly madeUp: readonly string[];
}

/** Placeholder for an id or a type of a wrong shape. The schema allows no such id, so it never matches a real one. */
export const NAMELESS = '\u0000';

/** Reads a file leniently, so that a mistake in one place does not hide those in other places. */
export const readDraft = (file: Record<string, unknown>): Draft => {
  const madeUp: string[] = [];
  const makeUp = <Value>(place: string, value: Value): Value => {
    madeUp.push(place);
    return value;
  };
  const text = (value: unknown, place: string): string =>
    typeof value === 'string' ? value : makeUp(place, NAMELESS);
  const map = (value: unknown, place: string): Record<string, unknown> =>
    isPlainObject(value) ? value : makeUp(place, {});

  const toNode = (value: unknown, index: number): WorkflowNode => {
    const place = `/nodes/${index}`;
    const node = map(value, place);
    const isConfigured = node.parameters === undefined || isPlainObject(node.parameters);
    if (!isConfigured) madeUp.push(`${place}/credentialId`); // which credentials a node takes depends on its parameters
    return {
      ...node,
      id: text(node.id, `${place}/id`),
      type: text(node.type, `${place}/type`),
      parameters: node.parameters === undefined ? {} : map(node.parameters, `${place}/parameters`),
    } as WorkflowNode;
  };
  const toConnection = (value: unknown, index: number): Connection => {
    const place = `/connections/${index}`;
    const connection = map(value, place);
    return {
      ...connection,
      sourceNodeId: text(connection.sourceNodeId, `${place}/sourceNodeId`),
      targetNodeId: text(connection.targetNodeId, `${place}/targetNodeId`),
    };
  };

  const nodes = Array.isArray(file.nodes) ? file.nodes : [];
  const connections = Array.isArray(file.connections) ? file.connections : [];
  // Without nodes, or with too many of them to check, the ends of connections can't be checked either.
  const isReadable = Array.isArray(file.nodes) && nodes.length <= MAX_NODES;
  const definition: Record<string, unknown> = {
    ...file,
    id: text(file.id, '/id'),
    enabled: file.enabled ?? true,
    nodes: isReadable ? nodes.map(toNode) : [],
    connections: isReadable ? connections.map(toConnection) : [],
  };
  return { definition: definition as WorkflowDefinition, madeUp };
};
