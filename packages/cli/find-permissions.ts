import type { AwsCall, JsonObject, JsonValue } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import {
  type IamStatement,
  type Permission,
  toPermissions,
  toStatements,
} from '../../lib/shared/iam/permission.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import { splitTemplate } from '../../lib/workflows/expressions/template.ts';

interface WorkflowPermissions {
  /** Statements for the service's role for workflows. */
  readonly statements: readonly IamStatement[];
  /** Statements for the roles of credentials, by credential id. */
  readonly roles: Readonly<Record<string, readonly IamStatement[]>>;
  /** What the files leave open, one sentence each. */
  readonly notes: readonly string[];
}

interface NodeCall {
  /** The node for a message, such as `orders: the node "store"`. */
  readonly place: string;
  readonly credentialId: string | null;
  readonly call: AwsCall;
}

/** Finds the permissions that nodes' AWS calls need. An expression in a name becomes `*`. */
export const findPermissions = (
  definitions: readonly WorkflowDefinition[],
  findNodeType: FindNodeType,
): WorkflowPermissions => {
  const found = new Map<string | null, Permission[]>([[null, []]]);
  const notes: string[] = [];
  for (const { place, credentialId, call } of definitions.flatMap((one) => findCalls(one, findNodeType))) {
    const name = `${call.service} ${call.operation}`;
    if (name.includes('*')) {
      notes.push(`${place}: its operation (${name}) is known only at run time, so it has no statement`);
      continue;
    }
    const permissions = toPermissions(call);
    found.set(credentialId, [...(found.get(credentialId) ?? []), ...permissions]);
    for (const { action, resource, isExact } of permissions)
      if (!isExact)
        notes.push(`${place}: ${name} does not name its full resource: narrow ${action} on ${resource}`);
  }
  const { null: statements = [], ...roles } = Object.fromEntries(
    [...found].map(([credentialId, permissions]) => [String(credentialId), toStatements(permissions)]),
  );
  return { statements, roles, notes };
};

const findCalls = ({ id, nodes }: WorkflowDefinition, findNodeType: FindNodeType): NodeCall[] =>
  nodes.flatMap(({ id: nodeId, type, disabled, parameters = {}, credentialId = null }) => {
    const calls =
      disabled === true ? null : findNodeType(type)?.awsCalls?.(toPattern(parameters) as JsonObject);
    return (calls ?? []).map((call) => ({ place: `${id}: the node "${nodeId}"`, credentialId, call }));
  });

/** The value with each expression replaced by `*`. */
const toPattern = (value: JsonValue): JsonValue => {
  if (typeof value === 'string')
    return splitTemplate(value)
      .map((part) => ('text' in part ? part.text : '*'))
      .join('');
  if (Array.isArray(value)) return value.map(toPattern);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toPattern(inner)]));
};
