import type { EventSource } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { describeError } from '../../plugins/call-plugin.ts';
import { isAppError } from '../../shared/errors.ts';
import { findRegisteringSource } from '../../triggers/registrations/registration.ts';
import type { StoredRegistration } from '../../triggers/registrations/registration-store.ts';
import type { SweepObserver, SweptWorkflow } from '../../triggers/registrations/sweep-registrations.ts';
import type { WorkflowSettings } from '../../workflows/definition/definition.ts';
import { WEBHOOK_TRIGGER } from '../../workflows/definition/to-path-configs.ts';
import { pollOf } from '../../workflows/plan/poll-type.ts';

/** An enabled workflow of which something is expected: what a sweep of registrations keeps of it. */
export interface WatchedWorkflow {
  readonly id: string;
  /** When its current version was stored, in milliseconds since the epoch. */
  readonly changedAt: number;
  readonly expect: Exclude<WorkflowSettings['expect'], false>;
  /** Why its triggers can't be registered; null if they are. */
  readonly refusal: string | null;
  readonly triggers: readonly WatchedTrigger[];
  readonly hasWebhooks: boolean;
}

/** A registered trigger. */
export interface WatchedTrigger {
  readonly registration: StoredRegistration;
  readonly source: EventSource;
  readonly polls: boolean;
}

/** Collects what silence is looked for in, while a sweep reads the workflows anyway. */
export const createWatch = (): SweepObserver & { readonly list: () => readonly WatchedWorkflow[] } => {
  const watched = new Map<string, WatchedWorkflow>();
  return {
    see: (swept, findNodeType) => {
      const found = toWatched(swept, findNodeType);
      if (found !== null) watched.set(found.id, found);
    },
    seeRefusal: (workflowId, cause) => {
      const found = watched.get(workflowId);
      if (found !== undefined && isAppError(cause, 'REGISTRATION_REFUSED')) {
        const { triggerNodeId, reason } = cause.parameters;
        const refusal = describeError(`trigger "${triggerNodeId}": ${reason}`);
        watched.set(workflowId, { ...found, refusal, triggers: [] });
      }
    },
    list: () => [...watched.values()],
  };
};

/** @returns null if nothing is expected of it */
const toWatched = (
  { stored: { definition, updatedAt }, registrations }: SweptWorkflow,
  findNodeType: FindNodeType,
): WatchedWorkflow | null => {
  const { id, enabled, nodes, settings } = definition;
  const { expect } = settings ?? {};
  if (!enabled || expect === false) return null;
  const active = nodes.filter(({ disabled }) => disabled !== true);
  const webhooks = active.filter(({ type }) => type === WEBHOOK_TRIGGER);
  const isPaused = webhooks.some(({ parameters }) => (parameters.paused ?? false) !== false);
  const triggers = registrations.flatMap((registration): WatchedTrigger[] => {
    const { state, triggerNodeId, nodeType } = registration;
    const source = findRegisteringSource(nodeType, findNodeType);
    const isActive = active.some((node) => node.id === triggerNodeId && node.type === nodeType);
    if (source === null || state !== 'registered' || !isActive) return [];
    return [{ registration, source, polls: pollOf(findNodeType(nodeType)) !== null }];
  });
  return {
    id,
    changedAt: Date.parse(updatedAt),
    expect: isPaused ? undefined : expect,
    refusal: null,
    triggers,
    hasWebhooks: webhooks.length > 0 && !isPaused,
  };
};
