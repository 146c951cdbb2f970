import {
  closed,
  defineAction,
  definePlugin,
  emit,
  type JsonObject,
  type JsonValue,
  orNull,
  type ParameterProblem,
  readItemKeys,
  type State,
  Type,
  when,
  wrongParameter,
} from '@hookloom/plugin-kit';
import * as Given from '@hookloom/plugin-kit/given';

/** Which parameters an operation has, in addition to `operation` and `store`; those it needs come first. */
const PARAMETERS = {
  get: { needs: ['key'], takes: [] },
  put: { needs: ['key', 'value'], takes: ['ttlSeconds', 'ifVersion'] },
  delete: { needs: ['key'], takes: ['ifVersion'] },
  increment: { needs: ['key'], takes: ['by', 'ttlSeconds'] },
  append: { needs: ['key', 'value'], takes: ['maxItems', 'ttlSeconds'] },
  once: { needs: ['key'], takes: ['ttlSeconds'] },
  newItems: { needs: ['items'], takes: ['itemKey', 'prefix', 'markAfterSeconds', 'ttlSeconds'] },
  markSeen: { needs: ['items'], takes: ['itemKey', 'prefix', 'ttlSeconds'] },
  list: { needs: [], takes: ['prefix', 'after', 'limit'] },
} satisfies Readonly<Record<string, Readonly<Record<'needs' | 'takes', readonly string[]>>>>;

const OPERATIONS = Object.keys(PARAMETERS) as readonly (keyof typeof PARAMETERS)[];

const ofAll = ['operation', 'store'];

/** Refuses what an operation lacks or would ignore. */
const checkParameters = (parameters: JsonObject): readonly ParameterProblem[] => {
  const { operation } = parameters;
  const found = OPERATIONS.find((one) => one === operation);
  if (found === undefined) return []; // an expression
  const known = PARAMETERS[found];
  const missing = known.needs.filter((name) => parameters[name] === undefined);
  const allowed = new Set([...ofAll, ...known.needs, ...known.takes]);
  const others = Object.keys(parameters).filter((name) => !allowed.has(name));
  return [
    ...missing.map((name) => ({ path: '', message: `"${name}" is required for ${operation}` })),
    ...others.map((name) => ({ path: `/${name}`, message: `is not a parameter of ${operation}` })),
  ];
};

const version = Type.Integer();
const time = Type.Optional(orNull(Type.String()));

/** What each operation delivers, but `once`, which passes its input on. */
const deliveredBy = {
  get: closed({ found: Type.Boolean(), value: Type.Unknown(), version, writtenAt: time, expiresAt: time }),
  put: closed({ version }),
  delete: closed({ deleted: Type.Boolean() }),
  increment: closed({ value: Type.Number(), version }),
  append: closed({ length: Type.Integer(), version }),
  newItems: closed({ items: Given.parameter('items'), seen: Type.Integer() }),
  markSeen: closed({ marked: Type.Integer() }),
  list: closed({ entries: Type.Array(Type.Object({})), next: orNull(Type.String()) }),
};

const fixedKey = when('operation', 'once', { properties: { key: { constant: 'warn' } } });
/** With a limit in time, a fixed key lets one execution through per period. */
const onceForAll = { ...fixedKey, if: { ...fixedKey.if, not: { required: ['ttlSeconds'] } } };

export const state = defineAction({
  id: 'state',
  name: 'State',
  description:
    'Remembers values between executions: get, put, delete, increment, append, list; once, which is true for the first execution that gives a key; newItems, which outputs the items of a list that were not seen before. Each write has its effect once, even if the node runs again after a crash',
  outputs: ({ operation }) =>
    operation === 'once'
      ? { true: Given.input, false: Given.input }
      : { main: deliveredBy[operation as keyof typeof deliveredBy] ?? Type.Object({}) },
  checkParameters,
  parameters: Type.Object(
    {
      operation: Type.Enum(OPERATIONS, {
        description:
          'get: { found, value, version }. put: { version }. delete: { deleted }. increment: { value, version }. append: { length, version }. once: the input on the output true or false. newItems: { items, seen }. markSeen: { marked }. list: { entries, next }; values of more than 400,000 bytes are left out there, with omittedBytes',
      }),
      key: Type.Optional(
        Type.String({
          holes: 'fail',
          minLength: 1,
          maxLength: 1_024,
          description: 'The key, of at most 1,024 bytes',
        }),
      ),
      store: Type.Optional(
        Type.String({
          holes: 'fail',
          pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$',
          description: 'A store that several workflows share; by default the workflow has its own',
        }),
      ),
      value: Type.Optional(
        Type.Unknown({
          withoutResult: null,
          description: 'For put, any JSON of at most 4,000,000 bytes; for append, the item to add',
        }),
      ),
      ifVersion: Type.Optional(
        Type.Integer({
          minimum: 0,
          description:
            'For put and delete: the node fails with StateVersionMismatch unless the entry has this version; 0 if it must not exist',
        }),
      ),
      by: Type.Number({ default: 1, description: 'For increment: what to add' }),
      maxItems: Type.Integer({
        default: 100,
        minimum: 1,
        maximum: 10_000,
        description: 'For append: how many items to keep, the latest ones',
      }),
      items: Type.Optional(
        Type.Array(Type.Unknown(), {
          maxItems: 1_000,
          constant: 'refuse',
          description: 'For newItems and markSeen: a list of up to 1,000 items',
        }),
      ),
      itemKey: Type.String({
        holes: 'fail',
        default: '',
        maxLength: 200,
        description:
          'For newItems and markSeen: the field that identifies an item, such as guid; by default the item itself, which must be a string or number',
      }),
      prefix: Type.String({
        holes: 'fail',
        default: '',
        maxLength: 512,
        description:
          'For list: only keys that begin with it. For newItems and markSeen: precedes the key of each item, so that several lists can be told apart',
      }),
      markAfterSeconds: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 31_622_400,
          description:
            'For newItems: items count as seen once markSeen names them. Another execution gets those that were not marked, after this many seconds. By default they count as seen at once',
        }),
      ),
      ttlSeconds: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 315_360_000,
          description:
            'How long to remember; for ever by default. For increment and append it counts from the first one',
        }),
      ),
      after: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 1_024,
          description: 'For list: next from the output of the page before',
        }),
      ),
      limit: Type.Integer({
        default: 100,
        minimum: 1,
        maximum: 1_000,
        description: 'For list: how many entries to read',
      }),
    },
    { allOf: [onceForAll] },
  ),
  example: {
    parameters: { operation: 'newItems', items: '{{ items }}', itemKey: 'guid' },
    input: {
      items: [
        { guid: 'a', title: 'Known' },
        { guid: 'b', title: 'New' },
      ],
    },
    output: { items: [{ guid: 'b', title: 'New' }], seen: 1 },
  },
  execute: async ({ parameters, input, context }) => {
    const { operation, store, ttlSeconds, ifVersion, items = [], itemKey, prefix } = parameters;
    const { state } = context.services;
    const run = (call: Parameters<State['run']>[0]) => state.run({ store, ...call });
    const key = () => {
      if (parameters.key === undefined) throw wrongParameter('key', 'a string', undefined);
      return parameters.key;
    };
    const value = () => {
      if (parameters.value === undefined) throw wrongParameter('value', 'any JSON', undefined);
      return parameters.value;
    };
    switch (operation) {
      case 'get':
        return run({ operation, key: key() });
      case 'put':
        return run({ operation, key: key(), value: value(), ttlSeconds, ifVersion });
      case 'delete':
        return run({ operation, key: key(), ifVersion });
      case 'increment':
        return run({ operation, key: key(), by: parameters.by, ttlSeconds });
      case 'append':
        return run({ operation, key: key(), value: value(), maxItems: parameters.maxItems, ttlSeconds });
      case 'once': {
        const { claimed } = await run({ operation: 'claim', keys: [key()], ttlSeconds });
        return emit({ [String((claimed as readonly JsonValue[])[0])]: input });
      }
      case 'newItems': {
        const keys = readItemKeys(items, itemKey).map((key) => `${prefix}${key}`);
        const confirmWithinSeconds = parameters.markAfterSeconds;
        const { claimed } = await run({ operation: 'claim', keys, ttlSeconds, confirmWithinSeconds });
        const fresh = items.filter((_item, index) => (claimed as readonly JsonValue[])[index] === true);
        return { items: fresh, seen: items.length - fresh.length };
      }
      case 'markSeen': {
        const { confirmed = 0 } = await run({
          operation: 'confirm',
          keys: readItemKeys(items, itemKey).map((key) => `${prefix}${key}`),
          ttlSeconds,
        });
        return { marked: confirmed };
      }
      default:
        return run({ operation: 'list', prefix, after: parameters.after, limit: parameters.limit });
    }
  },
});

/** The node that remembers values between executions. */
export default definePlugin({
  id: 'state',
  name: 'State',
  version: '1.0.0',
  description: 'Remembers values between executions, and what was seen before',
  category: 'data',
  handles: [state],
});
