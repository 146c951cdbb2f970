import {
  defineAction,
  defineCredentialType,
  defineTrigger,
  type JsonObject,
  type LentCredential,
  type NodeContext,
  NodeError,
  type RunControl,
  Type,
} from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { Type as TypeBox } from 'typebox';
import { checkSchema } from '../../packages/authoring/validation/schema/check-schema.ts';
import { aNode, aNodeContext } from '../support/a-node-context.ts';

const about = { id: 'send', name: 'Send', description: 'Sends a text' };

const parameters = Type.Object({
  channel: Type.String({ minLength: 1, default: 'general', description: 'Where to' }),
  text: Type.String({ description: 'What' }),
  urgent: Type.Optional(Type.Boolean({ description: 'Ring a bell' })),
  fields: Type.Array(Type.Object({ name: Type.String(), width: Type.Integer({ default: 1 }) }), {
    default: [],
  }),
});

const echo = defineAction({ ...about, parameters, execute: ({ parameters }) => ({ ...parameters }) });

const run = async (handle: typeof echo, given: JsonObject, context: NodeContext = aNodeContext()) =>
  handle.execute(aNode(handle.id, given), {}, context);

describe('an action', () => {
  test('is an ordinary handle', () => {
    expect(echo).toEqual({
      ...about,
      kind: 'action',
      execute: expect.any(Function),
      schema: {
        type: 'object',
        additionalProperties: false,
        required: ['text'],
        properties: {
          channel: { type: 'string', minLength: 1, default: 'general', description: 'Where to' },
          text: { type: 'string', description: 'What' },
          urgent: { type: 'boolean', description: 'Ring a bell' },
          fields: {
            type: 'array',
            default: [],
            items: {
              type: 'object',
              required: ['name'],
              properties: { name: { type: 'string' }, width: { type: 'integer', default: 1 } },
            },
          },
        },
      },
    });
  });

  test('receives its parameters with defaults at every depth, and without undeclared ones', async () => {
    expect(await run(echo, { text: 'a', fields: [{ name: 'b' }], other: 1 })).toEqual({
      channel: 'general',
      text: 'a',
      fields: [{ name: 'b', width: 1 }],
    });
  });

  test('is not executed with a parameter of the wrong type', async () => {
    await expect(run(echo, { text: 'a', fields: [{ name: 'b' }, { name: 7 }] })).rejects.toThrow(
      new TypeError('Parameter "fields[1].name" must be a string, got number'),
    );
  });

  test('accepts TypeBox and JSON Schema as const alike', async () => {
    const ofTypeBox = defineAction({
      ...about,
      parameters: TypeBox.Object({
        n: TypeBox.Integer({ minimum: 1, default: 1 }),
        m: TypeBox.Optional(TypeBox.String()),
      }),
      execute: ({ parameters: { n, m = '' } }) => ({ sum: n + m.length }),
    });
    const ofJson = defineAction({
      ...about,
      parameters: {
        type: 'object',
        required: ['n'],
        properties: { n: { type: 'integer', minimum: 1, default: 1 }, m: { type: 'string' } },
      },
      execute: ({ parameters: { n, m = '' } }) => ({ sum: n + m.length }),
    });
    expect(JSON.parse(JSON.stringify(ofTypeBox.schema))).toEqual(ofJson.schema);
    for (const handle of [ofTypeBox, ofJson]) {
      expect(await run(handle, {})).toEqual({ sum: 1 });
      expect(checkSchema(handle.schema, {}, '')).toEqual([]);
      expect(checkSchema(handle.schema, { n: 0 }, '')).not.toEqual([]);
    }
  });

  test('builds the JSON that TypeBox builds', () => {
    for (const builders of [Type, TypeBox]) {
      const schema = builders.Object({
        a: builders.Array(builders.Number({ maximum: 1 })),
        b: builders.Optional(builders.Union([builders.Null(), builders.Boolean()])),
        c: builders.Enum(['x', 'y'], { default: 'x' }),
        d: builders.Unknown({ description: 'anything' }),
      });
      expect(JSON.parse(JSON.stringify(schema))).toEqual({
        type: 'object',
        required: ['a', 'c', 'd'],
        properties: {
          a: { type: 'array', items: { type: 'number', maximum: 1 } },
          b: { anyOf: [{ type: 'null' }, { type: 'boolean' }] },
          c: { enum: ['x', 'y'], default: 'x' },
          d: { description: 'anything' },
        },
      });
    }
  });
});

describe('a node type that calls out', () => {
  const call = (required: boolean) =>
    defineAction({
      ...about,
      parameters: Type.Object({}),
      credentials: { types: ['chatToken'], required },
      execute: ({ credential }) => ({ credential: credential?.id ?? null }),
    });
  const credential: LentCredential = {
    id: 'chat',
    type: 'chatToken',
    field: () => 'secret',
    checkHost: () => {},
    refresh: async () => null,
  };

  test('declares its credential types, and receives a credential', async () => {
    expect(call(true).credentialTypes).toEqual(['chatToken']);
    const context = Object.assign(aNodeContext(), { credential });
    expect(await run(call(true), {}, context)).toEqual({ credential: 'chat' });
  });

  test('fails without a required credential, and is not retried', async () => {
    expect(await run(call(false), {})).toEqual({ credential: null });
    const error = await run(call(true), {}).catch((error) => error);
    expect(error).toBeInstanceOf(NodeError);
    expect(error).toMatchObject({
      message: 'the node needs a credential of the type chatToken',
      isRetryable: false,
    });
  });
});

test('a node type with control receives it', async () => {
  const waits: number[] = [];
  const handle = defineAction({
    ...about,
    control: { suspends: true, waitSeconds: ({ seconds }) => Number(seconds) },
    parameters: Type.Object({ seconds: Type.Number() }),
    execute: async ({ parameters, control }) => {
      await control.wait(parameters.seconds);
      return null;
    },
  });
  const control = { wait: async (seconds: number) => void waits.push(seconds) } as Partial<RunControl>;
  await run(handle, { seconds: 5 }, aNodeContext({ control: control as RunControl }));
  expect(waits).toEqual([5]);
  expect(handle.control).toMatchObject({ suspends: true });
});

test('a trigger is a handle of its kind, whose input is what started the workflow', async () => {
  const trigger = defineTrigger({
    ...about,
    parameters: Type.Object({}),
    execute: ({ input }) => ({ got: input }),
  });
  expect(trigger.kind).toBe('trigger');
  expect(await trigger.execute(aNode('send'), { a: 1 }, aNodeContext())).toEqual({ got: { a: 1 } });
});

test('types are inferred: mismatches do not compile', () => {
  defineAction({
    ...about,
    parameters: Type.Object({
      level: Type.Enum(['low', 'high'], { default: 'low' }),
      note: Type.Optional(Type.String()),
      map: Type.Record(Type.String(), Type.Unknown()),
    }),
    execute: ({ parameters: { level, note, map }, credential, control }) => {
      const values: { readonly level: 'low' | 'high'; readonly map: JsonObject } = { level, map };
      // @ts-expect-error optional
      const text: string = note;
      // @ts-expect-error may be absent
      const { id } = credential ?? null;
      // @ts-expect-error not a node type with control
      control?.wait(1);
      return { ...values, text, id };
    },
  });
  // @ts-expect-error a parameter that is not declared
  defineAction({ ...about, parameters, execute: ({ parameters: { nothing } }) => ({ nothing }) });
  defineCredentialType({
    ...about,
    parameters: Type.Object({ token: Type.String() }),
    // @ts-expect-error a field that is not declared
    secretFields: ['tokn'],
  });
  // @ts-expect-error nothing fires an action
  defineAction({ ...about, parameters, firedBy: {}, execute: () => null });
  expect(defineAction({ ...about, parameters, execute: () => null }).kind).toBe('action');
});
