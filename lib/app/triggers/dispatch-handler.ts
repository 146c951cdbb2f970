import { type EventSource, isPlainObject, type JsonObject, type TriggerAddress } from '@hookloom/plugin-kit';
import { isId } from '@hookloom/plugin-kit/host';
import type { SQSBatchResponse } from 'aws-lambda';
import { findInputProblem } from '../../deliveries/find-input-problem.ts';
import { findRegisteringSource, nameOfResource, toRegistration } from '../../registrations/registration.ts';
import type { RegistrationStore, StoredRegistration } from '../../registrations/registration-store.ts';
import { type StartParts, startByEvent } from '../../triggers/start-by-event.ts';
import { readMessages, startEach, startWhole } from './event-messages.ts';
import { readFailedId, startByFailure } from './start-by-failure.ts';

const NOTHING_FAILED: SQSBatchResponse = { batchItemFailures: [] };

interface DispatchParts extends StartParts {
  readonly registrations: Pick<RegistrationStore, 'find' | 'listOfType'>;
}

/** What an event carries: a trigger, and the name of its registration. */
interface Carried extends TriggerAddress {
  readonly registration: string;
}

/**
 * The function for the events of all triggers that register themselves. An event carries its trigger under `hookloom`, a
 * report of a failure its execution; a message is known by its queue. One for a trigger that is gone, disabled or has other parameters than those that it was
 * registered with is logged, and starts nothing: a message then stays in its queue.
 */
export const createDispatchFunction = (parts: DispatchParts) => {
  const { logger, registrations, loadNodeTypes } = parts;

  /** @returns false when it starts nothing */
  const start = (event: JsonObject, { registration, ...address }: Carried): Promise<boolean> =>
    startByEvent(
      event,
      address,
      (node, findNodeType) =>
        toRegistration(address.workflowId, node, findNodeType)?.name === registration
          ? null
          : 'the trigger is registered with other parameters',
      parts,
    );

  const startListener = (event: JsonObject, listener: StoredRegistration) =>
    start(event, { ...listener, registration: listener.name });

  const startCarried = async (event: JsonObject): Promise<void> => {
    const failedId = readFailedId(event);
    if (failedId !== null) return startByFailure(failedId, { ...parts, start: startListener });
    const carried = readCarried(event);
    if (carried === null) logger.warn('The event starts nothing.', { reason: 'it is for no trigger' });
    else await start(event, carried);
  };

  /** @throws Error when it starts nothing: a message is deleted when its execution is stored, and only then */
  const startMessage = async (event: JsonObject, found: StoredRegistration): Promise<void> => {
    if (!(await startListener(event, found)))
      throw new Error('the message starts nothing: it stays in its queue');
  };

  /** The source of a trigger that takes whole batches; null for any other. */
  const findBatchSource = async ({
    nodeType,
    parameters,
  }: StoredRegistration): Promise<EventSource | null> => {
    const source = findRegisteringSource(nodeType, await loadNodeTypes([nodeType]));
    return source?.takesBatches?.(parameters) === true ? source : null;
  };

  /** Those whose data can't be run are each an event of their own, which fails: they harm no other of their batch. */
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
    const queue = String(messages[0]?.eventSourceARN); // a batch is of one queue
    const found = await registrations.find(nameOfResource(queue));
    if (found === null) throw new Error(`no trigger has ${queue}`);
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
