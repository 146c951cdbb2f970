import type { RegistrationContext } from '@hookloom/plugin-kit';
import { type FindNodeType, isRegistrationRefused } from '@hookloom/plugin-kit/host';
import type { Ports } from '../../executions/ports.ts';
import { REGISTRATION_REFUSED } from '../../shared/error-catalogue.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import type { WorkflowDefinition } from '../../workflows/definition/definition.ts';
import {
  describeTaken,
  findRegisteringSource,
  type Registration,
  wantedRegistrations,
} from './registration.ts';
import type { RegistrationStore, StoredRegistration } from './registration-store.ts';

export interface RegistrarParts extends Pick<Ports, 'readVariables' | 'clock' | 'logger'> {
  readonly findNodeType: FindNodeType;
  readonly registrations: RegistrationStore;
  /** Called for the first registration, since it may query AWS for the account. */
  readonly openContext: () => Promise<RegistrationContext>;
}

/** A change of what a workflow registers; both with resolved triggers, like all definitions here: see `resolveTriggers`. */
export interface RegistrationChange {
  /** Null if there is no stored definition, or it could not be registered. */
  readonly former: WorkflowDefinition | null;
  readonly next: WorkflowDefinition;
}

/**
 * Adds missing registrations before what needs them is stored, so that triggers fire as soon as it is: until then their
 * events start nothing. Afterwards it removes surplus ones. If one is refused, or nothing is stored, everything is rolled
 * back, except for what `WORKFLOWS_LEFT_STORED` names. What a crash in between leaves behind is removed by the sweeper.
 *
 * @param store - returns false if nothing was stored
 * @returns what `store` returned
 * @throws AppError `REGISTRATION_REFUSED`, `STORE_UNAVAILABLE`, and what `store` throws
 */
export const registerAround = async <Result>(
  changes: readonly RegistrationChange[],
  store: () => Promise<Result>,
  parts: RegistrarParts,
): Promise<Result> => {
  const begun: RegistrationChange[] = [];
  const takeBack = async (left: readonly string[]): Promise<void> => {
    for (const change of begun) if (!left.includes(change.next.id)) await unregisterNext(change, parts);
  };
  let result: Result;
  try {
    for (const change of changes) {
      begun.push(change);
      const all = wantedRegistrations(change.next, parts.findNodeType);
      requireDistinct(all);
      for (const wanted of all) await registerOne(wanted, parts);
    }
    result = await store();
  } catch (error) {
    await takeBack(isAppError(error, 'WORKFLOWS_LEFT_STORED') ? error.parameters.workflowIds : []);
    throw error;
  }
  if (result === false) await takeBack([]);
  else for (const { next, former } of changes) await reconcileRegistrations(next.id, next, parts, [former]);
  return result;
};

/** Removes the registrations of a definition that was not stored. Best effort: the sweeper removes the rest. */
const unregisterNext = async ({ next, former }: RegistrationChange, parts: RegistrarParts): Promise<void> => {
  try {
    await reconcileRegistrations(next.id, former, parts, [next]);
  } catch (cause) {
    const fields = { workflowId: next.id, cause };
    parts.logger.warn('Surplus registrations remain until the next sweep.', fields);
  }
};

/**
 * Reconciles a workflow's registrations with its current version: adds missing ones, then removes surplus ones.
 *
 * @param current - the stored definition; null if the workflow was removed
 * @param others - definitions registered earlier: the list of a workflow's registrations may lack the last second
 * @param mayGo - whether a surplus registration may be removed
 * @throws AppError `REGISTRATION_REFUSED`, `STORE_UNAVAILABLE`
 */
export const reconcileRegistrations = async (
  workflowId: string,
  current: WorkflowDefinition | null,
  parts: RegistrarParts,
  others: readonly (WorkflowDefinition | null)[],
  mayGo: (stored: StoredRegistration) => boolean = () => true,
): Promise<void> => {
  const { registrations, findNodeType } = parts;
  const wanted = current === null ? [] : wantedRegistrations(current, findNodeType);
  const before = others
    .filter((one) => one !== null)
    .flatMap((one) => wantedRegistrations(one, findNodeType));
  const listed = await registrations.namesOf(workflowId);
  const names = new Set([...listed, ...before.map(({ name }) => name)]);
  for (const one of wanted) {
    await registerOne(one, parts);
    names.add(one.name);
  }
  const stored = await Promise.all([...names].map((name) => registrations.find(name)));
  for (const one of stored) {
    if (one?.workflowId !== workflowId || hasRegistration(wanted, one) || !mayGo(one)) continue;
    await unregister(one, parts);
  }
};

/**
 * Whether a workflow's registrations match it: none missing, and no surplus one that may be removed.
 *
 * @param stored - the registrations of this workflow
 */
export const isAsWanted = (
  current: WorkflowDefinition,
  stored: readonly StoredRegistration[],
  findNodeType: FindNodeType,
  mayGo: (stored: StoredRegistration) => boolean,
): boolean => {
  const wanted = wantedRegistrations(current, findNodeType);
  const isRegistered = (one: Registration) =>
    stored.some(
      (other) => other.name === one.name && other.state === 'registered' && isSameRegistration(other, one),
    );
  return wanted.every(isRegistered) && stored.every((one) => hasRegistration(wanted, one) || !mayGo(one));
};

/** @throws AppError `REGISTRATION_REFUSED` when two triggers need the same exclusive resource */
const requireDistinct = (all: readonly Registration[]): void => {
  for (const [index, wanted] of all.entries()) {
    const other = all.slice(0, index).find(({ name }) => name === wanted.name);
    if (other !== undefined) throw registrationRefused(wanted, null, describeTaken(other));
  }
};

const hasRegistration = (
  registrations: readonly Registration[],
  { name, triggerNodeId }: Registration,
): boolean => registrations.some((one) => one.name === name && one.triggerNodeId === triggerNodeId);

const registerOne = async (
  wanted: Registration,
  { registrations, openContext, logger, findNodeType }: RegistrarParts,
): Promise<void> => {
  const known = await registrations.find(wanted.name);
  if (known?.state === 'registered' && isSameRegistration(known, wanted)) return;
  const claimed = await registrations.claim(wanted);
  if (claimed.workflowId !== wanted.workflowId)
    throw registrationRefused(wanted, null, describeTaken(claimed));
  try {
    const source = findRegisteringSource(wanted.nodeType, findNodeType);
    await source?.register(wanted, await openContext());
  } catch (error) {
    if (isAppError(error)) throw error;
    const path = isRegistrationRefused(error) ? error.path : null;
    throw registrationRefused(wanted, path, error instanceof Error ? error.message : String(error), error);
  }
  await registrations.change(claimed, 'registered');
  logger.info('Trigger registered.', toLogFields(wanted));
};

/**
 * Removes the external resources, then the stored registration: a crash in between leaves the latter.
 *
 * @throws AppError `STORE_UNAVAILABLE`
 * @throws Error whatever the node type's `unregister` throws
 */
export const unregister = async (
  stored: StoredRegistration,
  { registrations, openContext, logger, findNodeType }: RegistrarParts,
): Promise<void> => {
  const leaving = await registrations.change(stored, 'leaving');
  if (leaving === null) return; // changed in the meantime: it may be needed again
  const source = findRegisteringSource(stored.nodeType, findNodeType);
  // If the plugin is no longer installed, nothing can be unregistered: its events start nothing.
  await source?.unregister(stored, await openContext());
  if (!(await registrations.remove(leaving))) {
    // Claimed again during removal: the resources that the new claim created may have been removed.
    const claimed = await registrations.find(stored.name);
    if (claimed !== null) await registrations.change(claimed, 'pending');
  }
  logger.info('Trigger unregistered.', toLogFields(stored));
};

const isSameRegistration = (one: Registration, other: Registration): boolean =>
  one.workflowId === other.workflowId &&
  one.triggerNodeId === other.triggerNodeId &&
  one.nodeType === other.nodeType &&
  JSON.stringify(one.parameters) === JSON.stringify(other.parameters);

const registrationRefused = (
  { workflowId, triggerNodeId }: Registration,
  path: string | null,
  reason: string,
  cause?: unknown,
) => new AppError(REGISTRATION_REFUSED, { workflowId, triggerNodeId, path, reason }, cause);

const toLogFields = ({ workflowId, triggerNodeId, nodeType, name }: Registration) => ({
  workflowId,
  triggerNodeId,
  nodeType,
  registration: name,
});
