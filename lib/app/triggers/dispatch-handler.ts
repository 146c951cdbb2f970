import { type EventSource, isPlainObject, type JsonObject, type TriggerAddress } from '@hookloom/plugin-kit';
import { isId } from '@hookloom/plugin-kit/host';
import type { SQSBatchResponse } from 'aws-lambda';
import { findInputProblem } from '../../executions/deliveries/find-input-problem.ts';
import { isAppError } from '../../shared/errors.ts';
import { NOTICE_TRIGGER } from '../../shared/notice-kinds.ts';
import {
  findRegisteringSource,
  isNameOf,
  nameOfResource,
  toRegistration,
} from '../../triggers/registrations/registration.ts';
import type {
  RegistrationStore,
  StoredRegistration,
} from '../../triggers/registrations/registration-store.ts';
import { type ReadVariables, resolveTrigger } from '../../triggers/registrations/resolve-triggers.ts';
import { type StartParts, startByEvent } from '../../triggers/start-by-event.ts';
import { readMessages, startEach, startWhole } from './event-messages.ts';
import type { FailedDataParts } from './failed-run-data.ts';
import { isNoticeTick, type Notify, type OpenNotify, type StartListener } from './notify.ts';
import { type FailureTrace, readFailedId, startByFailure } from './start-by-failure.ts';

const NOTHING_FAILED: SQSBatchResponse = { batchItemFailures: [] };

interface DispatchParts extends StartParts, FailedDataParts, FailureTrace {
  readonly registrations: Pick<RegistrationStore, 'find' | 'listOfType'>;
  /** Reads the variables of the stage, with all changes. */
  readonly readVariables: ReadVariables;
  readonly openNotify: OpenNotify;
  /** Whether notices are printed without any receiver, too. */
  readonly printsNotices?: boolean;
}

/** The content of an event: a trigger and the name of its registration. */
interface Carried extends TriggerAddress {
  readonly registration: string;
}

/**
 * The function for the events of all triggers that register themselves. An event names its trigger under `hookloom`, a
 * failure report its execution; a message is matched by its queue; `{hookloom: {notices: 'due'}}` sends the notices that are due. If the trigger no longer exists, is disabled, or has
 * different parameters than when it was registered, the event is logged and starts nothing; a message then stays in its
 * queue.
 */
export const createDispatchFunction = (parts: DispatchParts) => {
  const { logger, registrations, loadNodeTypes } = parts;

  /** @returns false if it starts nothing */
  const start = (
    event: JsonObject,
    { registration, ...address }: Carried,
    traceparent?: string,
  ): Promise<boolean> =>
    startByEvent(
      event,
      { ...address, traceparent },
      async (node, findNodeType) => {
        const { workflowId } = address;
        const { readVariables } = parts;
        const resolved = await resolveTrigger(node, workflowId, { findNodeType, readVariables }).catch(
          (error: unknown) => {
            if (isAppError(error, 'REGISTRATION_REFUSED')) return null;
            throw error;
          },
        );
        const wanted = resolved === null ? null : toRegistration(workflowId, resolved, findNodeType);
        return wanted !== null && isNameOf(wanted, registration)
          ? null
          : 'the trigger is registered with different parameters';
      },
      parts,
    );

  const startListener: StartListener = (event, listener, traceparent) =>
    start(event, { ...listener, registration: listener.name }, traceparent);

  /** Does something with the receivers of notices. @param always - even if there is none, to remove what is left */
  const withReceivers = async (act: (notify: Notify) => Promise<void>, always = false): Promise<void> => {
    const receivers = await registrations.listOfType(NOTICE_TRIGGER);
    if (receivers.length === 0 && !always && !parts.printsNotices) return;
    await act(await parts.openNotify(receivers, startListener));
  };

  const startCarried = async (event: JsonObject): Promise<void> => {
    const failedId = readFailedId(event);
    if (failedId !== null)
      return startByFailure(failedId, { ...parts, start: startListener, notify: withReceivers });
    if (isNoticeTick(event)) return withReceivers(({ sendDue }) => sendDue(), true);
    const carried = readCarried(event);
    if (carried === null) logger.warn('The event starts nothing.', { reason: 'it names no trigger' });
    else await start(event, carried);
  };

  /**
   * Starts an execution for a message.
   * @throws Error when it starts nothing: a message is deleted only once its execution is stored
   */
  const startMessage = async (event: JsonObject, found: StoredRegistration): Promise<void> => {
    if (!(await startListener(event, found)))
      throw new Error('the message started nothing; it stays in its queue');
  };

  /** The source of a trigger that accepts whole batches; null for any other. */
  const findBatchSource = async ({
    nodeType,
    parameters,
  }: StoredRegistration): Promise<EventSource | null> => {
    const source = findRegisteringSource(nodeType, await loadNodeTypes([nodeType]));
    return source?.takesBatches?.(parameters) === true ? source : null;
  };

  /** Messages whose data can't be run become separate events, which fail without affecting the rest of the batch. */
  const startBatch = async (
    messages: readonly JsonObject[],
    startOne: (event: JsonObject) => Promise<void>,
    source: EventSource,
  ): Promise<SQSBatchResponse> => {
    const canRun = (some: readonly JsonObject[]): boolean =>
      findInputProblem(source.toInput({ Records: [...some] }), parts.maxInputDepth) === null;
    if (messages.length === 1 || canRun(messages)) return startWhole(messages, startOne, logger);
    const good = messages.filter((message) => canRun([message]));
    const bad = messages.filter((message) => !good.includes(message));
    const startAlone = (message: JsonObject) => startOne({ Records: [message] });
    const answers = [
      bad.length === 0 ? NOTHING_FAILED : await startEach({ Records: bad }, startAlone, logger),
      good.length === 0 ? NOTHING_FAILED : await startWhole(good, startOne, logger),
    ];
    return { batchItemFailures: answers.flatMap(({ batchItemFailures }) => batchItemFailures) };
  };

  return async (event: unknown): Promise<SQSBatchResponse> => {
    const messages = readMessages(event);
    if (messages === null) return startEach(event, startCarried, logger);
    const queue = String(messages[0]?.eventSourceARN); // a batch is from one queue
    const found = await registrations.find(nameOfResource(queue));
    if (found === null) throw new Error(`no trigger uses ${queue}`);
    const startOne = (message: JsonObject) => startMessage(message, found);
    const batchSource = await findBatchSource(found);
    return batchSource === null
      ? startEach(event, startOne, logger)
      : startBatch(messages, startOne, batchSource);
  };
};

const readCarried = ({ hookloom }: JsonObject): Carried | null => {
  if (!isPlainObject(hookloom)) return null;
  const { workflowId, triggerNodeId, registration } = hookloom;
  if (!isId(workflowId) || !isId(triggerNodeId) || typeof registration !== 'string') return null;
  return { workflowId, triggerNodeId, registration };
};
