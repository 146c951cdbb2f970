import { type FoundRegistration, isPlainObject } from '@hookloom/plugin-kit';
import type { Context } from 'aws-lambda';
import type { SendStackResponse } from '../../adapters/aws/stack-response.ts';
import { findStanding, type StandingParts } from '../../health/find-standing.ts';
import { createWatch, type WatchedTrigger } from '../../health/silence/watch-workflows.ts';
import {
  type ReconcileAllParts,
  reconcileAll,
  unregisterAll,
} from '../../triggers/registrations/sweep-registrations.ts';

interface RegistrationsParts extends ReconcileAllParts, Omit<StandingParts, 'inspect'> {
  readonly sendStackResponse: SendStackResponse;
}

/** Time reserved for work in progress, or for the response to CloudFormation with its retries; milliseconds. */
const MARGIN_MS = 30_000;

/** Time limit for tests and the command line, where no function timeout applies. */
const UNLIMITED_MS = 240_000;

/** Limits the length of the reason, so that the response stays below 4,096 bytes in any writing system. */
const MAX_REASON_LENGTH = 500;

/**
 * The registration sweeper, invoked by a schedule, which also reports what is silent. Invoked by CloudFormation, it unregisters everything before the
 * stack is removed. CloudFormation always gets a response in time: without one, the stack hangs.
 */
export const createRegistrationsFunction =
  (parts: RegistrationsParts) =>
  async (event: unknown, context: Partial<Context> = {}): Promise<void> => {
    const request = readStackRequest(event);
    if (request === null) return sweep(parts, hasTimeLeft(context));
    const failure = request.isDelete ? await unregister(parts, context) : null;
    await parts.sendStackResponse(request.responseUrl, {
      Status: failure === null ? 'SUCCESS' : 'FAILED',
      Reason: failure ?? '',
      ...request.ids,
    });
  };

/** Reconciles the registrations, and then looks for what is silent. */
const sweep = async (parts: RegistrationsParts, hasTime: () => boolean): Promise<void> => {
  const watch = createWatch();
  await reconcileAll(parts, hasTime, watch);
  const { openContext, logger } = parts;
  const inspect = async ({ registration, source }: WatchedTrigger): Promise<FoundRegistration | null> => {
    try {
      return (await source.inspect?.(registration, await openContext())) ?? null;
    } catch (cause) {
      const { workflowId, triggerNodeId, name } = registration;
      const fields = { workflowId, triggerNodeId, registration: name, cause };
      logger.warn('A registration could not be inspected.', fields);
      return null;
    }
  };
  await findStanding(watch.list(), { ...parts, inspect }, hasTime);
};

const hasTimeLeft =
  ({ getRemainingTimeInMillis = () => UNLIMITED_MS }: Partial<Context>) =>
  (): boolean =>
    getRemainingTimeInMillis() > MARGIN_MS;

/** Unregisters all triggers. @returns why that failed; null on success */
const unregister = async (
  parts: RegistrationsParts,
  { getRemainingTimeInMillis = () => UNLIMITED_MS }: Partial<Context>,
): Promise<string | null> => {
  const ending = new AbortController();
  const { promise: overdue, reject } = Promise.withResolvers<never>();
  const end = () => {
    const error = new Error('Timed out. Remove the stack again: it continues with the rest.');
    ending.abort(error);
    reject(error);
  };
  const timer = setTimeout(end, Math.max(0, getRemainingTimeInMillis() - MARGIN_MS));
  try {
    await Promise.race([unregisterAll(parts, ending.signal), overdue]);
    parts.logger.info('All triggers are unregistered; the stack can be removed.');
    return null;
  } catch (cause) {
    parts.logger.warn('Not all triggers could be unregistered; the stack is kept.', { cause });
    const reason = cause instanceof Error ? cause.message : String(cause);
    return reason.slice(0, MAX_REASON_LENGTH);
  } finally {
    clearTimeout(timer);
  }
};

/** The id of a newly created resource: one per stack. */
const PHYSICAL_RESOURCE_ID = 'registrations';

/**
 * Reads a CloudFormation request to a custom resource; null for any other event.
 *
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref-requesttypes.html
 */
const readStackRequest = (event: unknown) => {
  if (!isPlainObject(event)) return null;
  const { RequestType: type, ResponseURL: responseUrl } = event;
  const isRequest = type === 'Create' || type === 'Update' || type === 'Delete';
  if (!isRequest || typeof responseUrl !== 'string') return null;
  return {
    isDelete: type === 'Delete',
    responseUrl,
    /** Ids of the request, which the response repeats. */
    ids: {
      PhysicalResourceId: String(event.PhysicalResourceId ?? PHYSICAL_RESOURCE_ID),
      StackId: String(event.StackId),
      RequestId: String(event.RequestId),
      LogicalResourceId: String(event.LogicalResourceId),
    },
  };
};
