import type { JsonObject, JsonValue } from '../contract/json.ts';
import type { OutputSchema } from '../contract/outputs.ts';
import type { NodeExample, PluginHandle } from '../contract/plugin.ts';
import { closed } from '../declare/closed.ts';
import {
  type CredentialNeeds,
  type NodeCall,
  type OptionsOf,
  type ParametersSchema,
  readCredential,
  toCredentialTraits,
} from '../declare/define-node-type.ts';
import * as Given from '../declare/given.ts';
import { createReader } from '../declare/read-parameters.ts';
import { toSchema } from '../declare/to-schema.ts';
import { Type } from '../declare/type.ts';
import { readItemKeys } from './item-keys.ts';

/** What a trigger that polls gets when it is time to look. */
type PollCall<Schema, Needs extends CredentialNeeds | undefined> = Pick<
  NodeCall<Schema, Needs, undefined>,
  'parameters' | 'credential' | 'context'
> & {
  /** What the last poll has returned as its `position`; null for the first one, and in a trial. */
  readonly position: JsonValue;
  /** Whether it is a trial, which shows items as they are: nothing is started, and no position kept. */
  readonly isTrial: boolean;
};

/** What a poll has found, with an `itemKey`, the field that identifies each item: see {@link readItemKeys}; or with keys of its own. */
type FoundItems =
  | { readonly items: JsonValue | undefined; readonly itemKey: string; readonly position?: JsonValue }
  | {
      readonly items: readonly JsonValue[];
      readonly keys: readonly string[];
      readonly position?: JsonValue;
      /** The keys that an earlier version of the trigger gave the items: those that it had seen do not start again. */
      readonly formerKeys?: readonly string[];
    };

/** How a trigger finds items. */
export interface PollDeclaration<Schema extends ParametersSchema, Needs extends CredentialNeeds | undefined>
  extends Pick<PluginHandle, 'id' | 'name' | 'description' | 'checkParameters'> {
  /** Its own parameters, beside those of the schedule: `Type.Object({ … })`, or JSON Schema. */
  readonly parameters: Schema;
  readonly credentials?: Needs;
  /** What finds options for its own parameters. */
  readonly options?: OptionsOf<Schema>;
  fetchItems(call: PollCall<Schema, Needs>): Promise<FoundItems>;
  /** What an item is; anything by default. */
  readonly item?: OutputSchema;
  readonly example?: NodeExample;
}

/** The parameters of a schedule. */
export const scheduleParameters = Type.Object({
  cron: Type.Optional(
    Type.String({
      format: 'cron-expression',
      description:
        'Five fields (minute, hour, day of month, month, day of week), or the six of AWS, which end with the year',
    }),
  ),
  rate: Type.Optional(Type.String({ description: 'An interval such as `5 minutes`, `1 hour` or `2 days`' })),
  at: Type.Optional(
    Type.String({ description: 'A single time in the time zone, such as `2027-01-31T09:00:00`' }),
  ),
  timeZone: Type.Optional(Type.String({ description: 'Name in the IANA database', default: 'UTC' })),
  startAt: Type.Optional(Type.String({ description: 'Nothing fires before this time (ISO 8601)' })),
  endAt: Type.Optional(Type.String({ description: 'Nothing fires after this time (ISO 8601)' })),
  flexibleMinutes: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_440,
      description: 'How many minutes late it may fire, which spreads the load',
    }),
  ),
});

const text = Type.String();
const fired = { triggeredAt: text, triggerType: text, polledAt: Type.Optional(text) };

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
 * `scheduleTrigger` does, which has the same parameters for its schedule.
 */
export const createPollTrigger = <
  const Schema extends ParametersSchema,
  const Needs extends CredentialNeeds | undefined,
>(
  declaration: PollDeclaration<Schema, Needs>,
): PluginHandle => {
  const { fetchItems, parameters, credentials, item = {}, ...about } = declaration;
  const own = toSchema(parameters);
  const schema = {
    ...own,
    properties: {
      ...toProperties(toSchema(scheduleParameters)),
      ...toProperties(own),
      ...toProperties(POLLING),
    },
    required: own.required ?? [],
  };
  const read = createReader(schema);
  const one = Type.Unknown({ ...item });
  return {
    ...about,
    ...toCredentialTraits(credentials),
    kind: 'trigger',
    schema,
    outputs: {
      main: Given.by(
        'perBatch',
        {
          false: closed({ ...fired, item: one, key: Type.Optional(text) }),
          true: closed({ ...fired, items: Type.Array(one), keys: Type.Optional(Type.Array(text)) }),
        },
        false,
      ),
    },
    firedBy: {
      register: (trigger, { schedules }) => schedules.put(trigger),
      unregister: (trigger, { schedules }) => schedules.remove(trigger),
      inspect: (trigger, { schedules }) => schedules.inspect(trigger),
      toInput: ({ scheduledAt }) => ({ scheduledAt: toInstant(scheduledAt) }),
      toKey: ({ scheduledAt }) => toInstant(scheduledAt),
      poll: async (node, { position }, context) => {
        const found = await fetchItems({
          parameters: read(node.parameters),
          credential: readCredential(context, credentials),
          context,
          position: position ?? null,
          isTrial: position === undefined,
        } as PollCall<Schema, Needs>);
        if ('keys' in found) return found;
        const { items, itemKey, ...rest } = found;
        if (!Array.isArray(items)) throw new TypeError('The items are not a list');
        return { items, keys: readItemKeys(items, itemKey), ...rest };
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

/** Reads when a schedule fired. @throws TypeError if it is not a time, since then the event is not a schedule's */
export const toInstant = (scheduledAt: unknown): string => {
  const time = new Date(String(scheduledAt));
  if (Number.isNaN(time.getTime())) throw new TypeError('the event has no "scheduledAt"');
  return time.toISOString();
};

const toProperties = ({ properties }: JsonObject): JsonObject => properties as JsonObject;
