import {
  type EventSource,
  emit,
  isPlainObject,
  type JsonObject,
  type JsonValue,
  NodeError,
  type NodeResult,
} from '@hookloom/plugin-kit';
import type { FindNodeType, NodeType } from '@hookloom/plugin-kit/host';

/** Items of an answer, each with its key. */
export interface Polled {
  readonly items: readonly JsonValue[];
  readonly keys: readonly string[];
  /** What the next poll is given; null for a trigger that keeps none. */
  readonly position: JsonValue;
  /** The keys that the items had in earlier releases, if they had others. */
  readonly formerKeys?: readonly string[];
}

const MAX_ITEMS = 1_000;
const MAX_POSITION_BYTES = 10_000;
/** Leaves room for the id of the node in the key of an entry of state. */
const MAX_KEY_BYTES = 950;

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

/** @throws NodeError that says which item is wrong, before anything is started */
const checkPolled = (result: NodeResult) => {
  const {
    items,
    keys,
    position = null,
    formerKeys,
  } = (isPlainObject(result) ? result : {}) as Partial<Polled>;
  if (!Array.isArray(items) || !Array.isArray(keys) || keys.length !== items.length)
    throw new TypeError('The trigger returned no items with a key for each');
  if (items.length > MAX_ITEMS)
    throw wrong('TooManyItems', `The answer has ${items.length} items; at most ${MAX_ITEMS} are allowed`);
  for (const [index, key] of keys.entries()) {
    const problem = findKeyProblem(key);
    if (problem !== null) throw wrong('ItemKeyInvalid', `The key of items[${index}] ${problem}`);
  }
  const bytes = Buffer.byteLength(JSON.stringify(position));
  if (bytes > MAX_POSITION_BYTES)
    throw new TypeError(
      `The trigger returned a position of ${bytes} bytes; at most ${MAX_POSITION_BYTES} are allowed`,
    );
  return { items, keys, position, ...(formerKeys && { formerKeys }) };
};

const findKeyProblem = (key: unknown): string | null => {
  if (typeof key !== 'string' || key === '') return 'must be a string that is not empty';
  const bytes = Buffer.byteLength(key);
  if (bytes > MAX_KEY_BYTES) return `has ${bytes} bytes; at most ${MAX_KEY_BYTES} are allowed`;
  return key.isWellFormed() ? null : 'must be well-formed Unicode';
};

const wrong = (name: string, message: string): NodeError =>
  new NodeError(message, { name, isRetryable: false });
