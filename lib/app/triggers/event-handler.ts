import { isPlainObject, type JsonObject, type TriggerAddress } from '@hookloom/plugin-kit';
import { type FindNodeType, isId } from '@hookloom/plugin-kit/host';
import type { SQSBatchResponse } from 'aws-lambda';
import { requireEventSource, type StartParts, startByEvent } from '../../triggers/start-by-event.ts';
import { startEach } from './event-messages.ts';

interface EventFunctionParts extends StartParts {
  readonly loadNodeTypes: (nodeTypes?: readonly string[]) => Promise<FindNodeType>;
}

/**
 * A separate function for the events of one trigger type, which identifies the trigger from the event.
 *
 * @param nodeType - a trigger type whose `EventSource` has `toAddress`
 */
export const createEventFunction =
  (nodeType: string, parts: EventFunctionParts) =>
  async (event: unknown): Promise<SQSBatchResponse> => {
    const findNodeType = await parts.loadNodeTypes();
    const source = requireEventSource(nodeType, findNodeType);
    const start = (one: JsonObject) =>
      startByEvent(
        one,
        toAddress(source.toAddress?.(one), nodeType),
        ({ type }) => (type === nodeType ? null : 'the workflow has no such trigger'),
        parts,
      );
    return startEach(event, start, parts.logger);
  };

/** Returns the address that a plugin's `toAddress` has returned. @throws TypeError if it is not one */
const toAddress = (address: unknown, nodeType: string): TriggerAddress => {
  if (!isPlainObject(address) || !isId(address.workflowId) || !isId(address.triggerNodeId))
    throw new TypeError(`toAddress of ${nodeType} returned no address`);
  return { workflowId: address.workflowId, triggerNodeId: address.triggerNodeId };
};
