import type { Clock, Logger, RegistrationContext } from '@hookloom/plugin-kit';
import { type FindNodeType, isRegistrationRefused } from '@hookloom/plugin-kit/host';
import { REGISTRATION_REFUSED } from '../../shared/error-catalogue.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import type { WorkflowDefinition } from '../../workflows/definition/definition.ts';
import {
  describeTaken,
  findRegisteringSource,
  type RegisteringSource,
  type Registration,
  wantedRegistrations,
} from './registration.ts';
import type { RegistrationStore, StoredRegistration } from './registration-store.ts';
import type { ReadVariables } from './resolve-triggers.ts';

export interface RegistrarParts {
  readonly registrations: RegistrationStore;
  /** Called for the first registration, since it may query AWS for the account. */
  readonly openContext: () => Promise<RegistrationContext>;
  /** Reads the variables of the stage, with all changes. */
  readonly readVariables: ReadVariables;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/**
 * Adds a definition's missing registrations before it is stored, so that its triggers fire as soon as it is current.
 * Until then their events start nothing. If one is refused, everything is rolled back.
 *
 * @param definition - with resolved triggers, like all definitions here: see `resolveTriggers`
 * @param current - the stored definition; null if there is none
 * @throws AppError `REGISTRATION_REFUSED`, `STORE_UNAVAILABLE`
 */
export const register = async (
  definition: WorkflowDefinition,
  current: WorkflowDefinition | null,
  findNodeType: FindNodeType,
  parts: RegistrarParts,
): Promise<void> => {
  try {
    const all = wantedRegistrations(definition, findNodeType);
    requireDistinct(all);
    for (const wanted of all) await registerOne(wanted, findNodeType, parts);
  } catch (error) {
    await takeBack(definition, current, findNodeType, parts);
    throw error;
  }
};

/** Removes the registrations of a definition that was not stored. Best effort: the sweeper removes the rest. */
export const takeBack = async (
  definition: WorkflowDefinition,
  current: WorkflowDefinition | null,
  findNodeType: FindNodeType,
  parts: RegistrarParts,
): Promise<void> => {
  try {
    await reconcileRegistrations(definition.id, current, findNodeType, parts, [definition]);
  } catch (cause) {
    parts.logger.warn('Surplus registrations remain until the next sweep.', {
      workflowId: definition.id,
      cause,
    });
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
  findNodeType: FindNodeType,
  parts: RegistrarParts,
  others: readonly (WorkflowDefinition | null)[],
  mayGo: (stored: StoredRegistration) => boolean = () => true,
): Promise<void> => {
  const { registrations } = parts;
  const wanted = current === null ? [] : wantedRegistrations(current, findNodeType);
  const before = others
    .filter((one) => one !== null)
    .flatMap((one) => wantedRegistrations(one, findNodeType));
  const listed = await registrations.namesOf(workflowId);
  const names = new Set([...listed, ...before.map(({ name }) => name)]);
  for (const one of wanted) {
    await registerOne(one, findNodeType, parts);
    names.add(one.name);
  }
  const stored = await Promise.all([...names].map((name) => registrations.find(name)));
  for (const one of stored) {
    if (one?.workflowId !== workflowId || has(wanted, one) || !mayGo(one)) continue;
    await unregister(one, findNodeType, parts);
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
    stored.some((other) => other.name === one.name && other.state === 'registered' && isSame(other, one));
  return wanted.every(isRegistered) && stored.every((one) => has(wanted, one) || !mayGo(one));
};

/** @throws AppError `REGISTRATION_REFUSED` when two triggers need the same exclusive resource */
const requireDistinct = (all: readonly Registration[]): void => {
  for (const [index, wanted] of all.entries()) {
    const other = all.slice(0, index).find(({ name }) => name === wanted.name);
    if (other !== undefined) throw refuseTaken(wanted, other);
  }
};

const refuseTaken = (wanted: Registration, other: Registration): AppError =>
  refused(wanted, null, describeTaken(other));

const has = (registrations: readonly Registration[], { name, triggerNodeId }: Registration): boolean =>
  registrations.some((one) => one.name === name && one.triggerNodeId === triggerNodeId);

const registerOne = async (
  wanted: Registration,
  findNodeType: FindNodeType,
  parts: RegistrarParts,
): Promise<void> => {
  const { registrations, openContext, logger } = parts;
  const known = await registrations.find(wanted.name);
  if (known?.state === 'registered' && isSame(known, wanted)) return;
  const claimed = await registrations.claim(wanted);
  if (claimed.workflowId !== wanted.workflowId) throw refuseTaken(wanted, claimed);
  try {
    await requireSource(wanted, findNodeType).register(wanted, await openContext());
  } catch (error) {
    if (isAppError(error)) throw error;
    const path = isRegistrationRefused(error) ? error.path : null;
    throw refused(wanted, path, error instanceof Error ? error.message : String(error), error);
  }
  await registrations.change(claimed, 'registered');
  logger.info('Trigger registered.', toFields(wanted));
};

/**
 * Removes the external resources, then the stored registration: a crash in between leaves the latter.
 *
 * @throws AppError `STORE_UNAVAILABLE`
 * @throws Error whatever the node type's `unregister` throws
 */
export const unregister = async (
  stored: StoredRegistration,
  findNodeType: FindNodeType,
  { registrations, openContext, logger }: RegistrarParts,
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
  logger.info('Trigger unregistered.', toFields(stored));
};

const requireSource = ({ nodeType }: Registration, findNodeType: FindNodeType): RegisteringSource => {
  const source = findRegisteringSource(nodeType, findNodeType);
  if (source === null) throw new TypeError(`node type ${nodeType} does not register triggers`);
  return source;
};

const isSame = (one: Registration, other: Registration): boolean =>
  one.workflowId === other.workflowId &&
  one.triggerNodeId === other.triggerNodeId &&
  one.nodeType === other.nodeType &&
  JSON.stringify(one.parameters) === JSON.stringify(other.parameters);

const refused = (
  { workflowId, triggerNodeId }: Registration,
  path: string | null,
  reason: string,
  cause?: unknown,
) => new AppError(REGISTRATION_REFUSED, { workflowId, triggerNodeId, path, reason }, cause);

const toFields = ({ workflowId, triggerNodeId, nodeType, name }: Registration) => ({
  workflowId,
  triggerNodeId,
  nodeType,
  registration: name,
});
