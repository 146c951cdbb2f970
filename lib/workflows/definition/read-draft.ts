import { isPlainObject } from '../../contract/json.ts';
import type { WorkflowNode } from '../../contract/node.ts';
import type { Connection, WorkflowDefinition } from './definition.ts';
import { MAX_NODES } from './schema.ts';

/** As much of a definition as a file holds, whatever its shape. */
interface Draft {
  /** With what is optional filled in; for a file of the right shape it is the definition. */
  readonly definition: WorkflowDefinition;
  /** JSON pointers to what is of another shape and had to be made up: nothing can be said of it. */
  readonly madeUp: readonly string[];
}

/** In the place of an id or a type that can't be read; the schema allows no id like it, so it matches nothing that was written. */
export const NAMELESS = '\u0000';

/** Reads what can be read, so that a slip in one place does not hide what is wrong in the others. */
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
    if (!isConfigured) madeUp.push(`${place}/credentialId`); // the parameters say what it is for
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
  // Without the nodes, or with more of them than anybody would check, connections lead nowhere that we know.
  const isReadable = Array.isArray(file.nodes) && nodes.length <= MAX_NODES;
  const definition = {
    ...file,
    id: text(file.id, '/id'),
    enabled: file.enabled ?? true,
    nodes: isReadable ? nodes.map(toNode) : [],
    connections: isReadable ? connections.map(toConnection) : [],
  } as unknown as WorkflowDefinition;
  return { definition, madeUp };
};
