import { type EventSource, emit, type JsonObject } from '@hookloom/plugin-kit';
import { checkPolled, type FindNodeType, type NodeType } from '@hookloom/plugin-kit/host';

/** The function with which a trigger polls; null for any other node type. */
export const pollOf = (
  nodeType: Pick<NodeType, 'firedBy'> | null,
): NonNullable<EventSource['poll']> | null => {
  const source = nodeType?.firedBy ?? null;
  return source === null || typeof source === 'string' ? null : (source.poll ?? null);
};

/**
 * A trigger that polls, as the action that fetches its items: with its credential, its retries and its timeout.
 *
 * @param isTrial - whether it outputs what a run for the first item, or for all, would get from the trigger
 */
export const asPoll =
  (findNodeType: FindNodeType, isTrial = false): FindNodeType =>
  (name) => {
    const nodeType = findNodeType(name);
    const poll = pollOf(nodeType);
    if (nodeType === null || poll === null) return nodeType;
    return {
      ...nodeType,
      kind: 'action',
      pure: false,
      firedBy: null,
      getExecutor: async () => {
        const own = await nodeType.getExecutor();
        return {
          getNodeType: () => name,
          execute: async (node, input, context) => {
            const polled = checkPolled(await poll(node, input, context));
            if (!isTrial) return polled;
            const { items, keys } = polled;
            context.logger.info(`The poll found ${items.length} items. A run starts for those that are new.`);
            if (items.length === 0) return emit({});
            const polledAt = new Date(context.services.clock.now()).toISOString();
            const given =
              node.parameters.perBatch === true ? { items, keys } : { item: items[0], key: keys[0] };
            return own.execute(node, { ...given, polledAt } as JsonObject, context);
          },
        };
      },
    };
  };
