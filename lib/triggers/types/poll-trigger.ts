import {
  type JsonObject,
  type JsonValue,
  type NodeExecutor,
  type PluginHandle,
  readItemKeys,
  Type,
} from '@hookloom/plugin-kit';
import { type NodeExample, toSchema } from '@hookloom/plugin-kit/host';
import { scheduleTrigger } from './schedule-trigger.ts';

/** How a trigger finds items: with an action that fetches them. */
interface PollDeclaration
  extends Pick<
    PluginHandle,
    'id' | 'name' | 'description' | 'credentialTypes' | 'credentialRequired' | 'checkParameters'
  > {
  /** JSON Schemas of its own parameters, by name. */
  readonly parameters: JsonObject;
  readonly required: readonly string[];
  /**
   * Fetches items with an action, either with their keys and a position, or with an `itemKey`, the field that identifies them:
   * see {@link readItemKeys}.
   */
  readonly fetchItems: (...call: Parameters<NodeExecutor['execute']>) => Promise<
    | { readonly items: JsonValue | undefined; readonly itemKey: string }
    | {
        readonly items: readonly JsonValue[];
        readonly keys: readonly string[];
        readonly position: JsonValue;
        /** The keys that an earlier version of the trigger gave the items: those that it had seen do not start again. */
        readonly formerKeys?: readonly string[];
      }
  >;
  readonly example: NodeExample;
}

/** What every trigger that polls takes, beside its schedule. */
const POLLING = toSchema(
  Type.Object({
    perBatch: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Start one execution for all new items of a poll, instead of one for each',
      }),
    ),
    firstPoll: Type.Optional(
      Type.Enum(['fromNow', 'all'], {
        default: 'fromNow',
        description:
          'What the first poll does with the items that are there: count them as seen, or start with all',
      }),
    ),
    ttlSeconds: Type.Optional(
      Type.Integer({
        minimum: 3_600,
        maximum: 315_360_000,
        default: 7_776_000,
        description:
          'How long a key is remembered after its item is no longer there, 90 days by default. Choose much more than the time between two polls',
      }),
    ),
  }),
);

/**
 * Creates a trigger that fetches items on a schedule, and starts the workflow for those whose keys are new. It registers as a
 * `scheduleTrigger` does.
 */
export const createPollTrigger = (declaration: PollDeclaration): PluginHandle => {
  const { fetchItems, parameters, required, checkParameters, ...about } = declaration;
  const { firedBy, schema, checkParameters: checkSchedule } = scheduleTrigger;
  if (firedBy === undefined) throw new TypeError('scheduleTrigger is fired by a schedule');
  return {
    ...about,
    kind: 'trigger',
    schema: {
      ...schema,
      properties: { ...toProperties(schema), ...parameters, ...toProperties(POLLING) },
      required: [...required],
    },
    checkParameters: async (given) => [
      ...((await checkSchedule?.(given)) ?? []),
      ...((await checkParameters?.(given)) ?? []),
    ],
    firedBy: {
      ...firedBy,
      poll: async (node, input, context) => {
        const fetched = await fetchItems(node, input, context);
        if ('keys' in fetched) return fetched;
        const { items, itemKey } = fetched;
        if (!Array.isArray(items)) throw new TypeError('The items are not a list');
        return { items, keys: readItemKeys(items, itemKey) };
      },
    },
    execute: (node, input, context) => {
      const name = node.parameters.perBatch === true ? 'items' : 'item';
      if (!Object.hasOwn(input, name))
        throw new TypeError(
          `The input has no "${name}". Started by hand, a trigger that polls needs it: try the trigger in the editor to see what it finds`,
        );
      const triggeredAt = new Date(context.services.clock.now()).toISOString();
      return { triggeredAt, triggerType: 'poll', ...input };
    },
  };
};

const toProperties = ({ properties }: JsonObject): JsonObject => properties as JsonObject;
