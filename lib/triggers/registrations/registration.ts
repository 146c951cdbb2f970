import { createHash } from 'node:crypto';
import type { EventSource, RegisteredTrigger, WorkflowNode } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import type { WorkflowDefinition } from '../../workflows/definition/definition.ts';

/** What makes a trigger fire, outside the service: a schedule, a rule, a mapping. */
export interface Registration extends RegisteredTrigger {
  readonly nodeType: string;
}

export type RegisteringSource = EventSource & Required<Pick<EventSource, 'register' | 'unregister'>>;

/** The event source of a node type that registers its triggers, or null. */
export const findRegisteringSource = (
  nodeType: string,
  findNodeType: FindNodeType,
): RegisteringSource | null => {
  const source = findNodeType(nodeType)?.firedBy ?? null;
  return source !== null && typeof source === 'object' && canRegister(source) ? source : null;
};

const canRegister = (source: EventSource): source is RegisteringSource =>
  source.register !== undefined && source.unregister !== undefined;

/**
 * The registrations that a workflow needs: one for each enabled trigger whose type registers; none while the workflow
 * is disabled.
 */
export const wantedRegistrations = (
  { id, enabled, nodes }: WorkflowDefinition,
  findNodeType: FindNodeType,
): readonly Registration[] =>
  enabled ? nodes.flatMap((node) => toRegistration(id, node, findNodeType) ?? []) : [];

/** The registration of a trigger; null if it is disabled or its type does not register. */
export const toRegistration = (
  workflowId: string,
  { id: triggerNodeId, type: nodeType, parameters, disabled }: WorkflowNode,
  findNodeType: FindNodeType,
): Registration | null => {
  const source = findRegisteringSource(nodeType, findNodeType);
  if (source === null || disabled === true) return null;
  const resource = source.resourceOf?.(parameters) ?? null;
  const form = source.form === undefined ? '' : `${source.form}.`;
  const name =
    resource === null
      ? `${form}${hashName(JSON.stringify([workflowId, triggerNodeId, nodeType, parameters]))}`
      : nameOfResource(resource);
  return { name, workflowId, triggerNodeId, nodeType, parameters };
};

/** Whether a registration has a name, in its form or any other: until a sweep, events have a former one. */
export const isNameOf = ({ name }: Registration, other: string): boolean =>
  withoutForm(name) === withoutForm(other);

const withoutForm = (name: string): string => name.slice(name.indexOf('.') + 1);

/** Says which trigger has the resource that another one needs. */
export const describeTaken = ({ workflowId, triggerNodeId }: Registration): string =>
  `trigger ${triggerNodeId} of ${workflowId} already uses it, and only one can`;

/** The name of the registration that owns a resource. @param resource - as returned by `EventSource.resourceOf` */
export const nameOfResource = (resource: string): string => hashName(JSON.stringify([resource]));

const hashName = (text: string): string => createHash('sha256').update(text).digest('base64url');
