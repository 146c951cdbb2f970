import type { SQSBatchResponse } from 'aws-lambda';
import { isId } from '../../contract/ids.ts';
import { isPlainObject, type JsonObject } from '../../contract/json.ts';
import type { TriggerAddress } from '../../contract/registration.ts';
import { nameOfResource, toRegistration } from '../../registrations/registration.ts';
import type { RegistrationStore } from '../../registrations/registration-store.ts';
import { type StartParts, startByEvent } from '../../triggers/start-by-event.ts';
import { startEach } from './event-messages.ts';

interface DispatchParts extends StartParts {
  readonly registrations: Pick<RegistrationStore, 'find'>;
}

interface Registered extends TriggerAddress {
  /** Its name. */
  readonly registration: string;
}

/**
 * The function for the events of all triggers that register themselves. An event carries its trigger under `hookloom`; a
 * message is known by its queue. One for a trigger that is gone, disabled or has other parameters than those that it was
 * registered with is logged, and starts nothing.
 */
export const createDispatchFunction = (parts: DispatchParts) => {
  const { logger, registrations } = parts;

  const start = async (event: JsonObject): Promise<void> => {
    const carried = readEnvelope(event);
    const found = carried ?? (await findByResource(event));
    if (found === null) return logger.warn('The event starts nothing.', { reason: 'it is for no trigger' });
    const { registration, ...address } = found;
    const isStarted = await startByEvent(
      event,
      address,
      (node, findNodeType) =>
        toRegistration(address.workflowId, node, findNodeType)?.name === registration
          ? null
          : 'the trigger is registered with other parameters',
      parts,
    );
    // A message is deleted when its execution is stored, and only then.
    if (!isStarted && carried === null) throw new Error('the message starts nothing: it stays in its queue');
  };

  /** @throws Error for a message of a queue that no trigger has any more */
  const findByResource = async ({ eventSourceARN }: JsonObject): Promise<Registered | null> => {
    if (typeof eventSourceARN !== 'string') return null;
    const found = await registrations.find(nameOfResource(eventSourceARN));
    if (found === null) throw new Error(`no trigger has ${eventSourceARN}`);
    const { workflowId, triggerNodeId, name } = found;
    return { workflowId, triggerNodeId, registration: name };
  };

  return (event: unknown): Promise<SQSBatchResponse> => startEach(event, start, logger);
};

const readEnvelope = ({ hookloom }: JsonObject): Registered | null => {
  if (!isPlainObject(hookloom)) return null;
  const { workflowId, triggerNodeId, registration } = hookloom;
  if (!isId(workflowId) || !isId(triggerNodeId) || typeof registration !== 'string') return null;
  return { workflowId, triggerNodeId, registration };
};
