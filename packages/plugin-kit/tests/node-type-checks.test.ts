import { describe, expect, test } from '@jest/globals';
import type { PluginHandle } from '../contract/plugin.ts';
import { defineAction, defineCredentialType, defineTrigger, emit, Type } from '../index.ts';
import { type NodeTest, nodeTypeChecks, runNode } from '../testing/index.ts';

const greet = defineAction({
  id: 'greet',
  name: 'Greet',
  description: 'Greets by name',
  pure: true,
  parameters: Type.Object({ name: Type.String({ default: 'you', description: 'Of the greeted one' }) }),
  execute: ({ parameters }) => ({ greeting: `Hello, ${parameters.name}` }),
});

const example: NodeTest = { parameters: { name: 'Ada' } };

test('a parameter of several types is tested with another type; one of any type is not', async () => {
  const loose = defineAction({
    id: 'loose',
    name: 'Loose',
    description: 'Takes much',
    parameters: {
      type: 'object',
      properties: {
        a: { type: ['string', 'null'], description: 'A' },
        b: { type: ['string', 'object'], description: 'B' },
        c: { type: ['string', 'object', 'array'], description: 'C' },
        d: { description: 'D' },
      },
    },
    execute: () => null,
  });
  expect(await findBroken(loose, {})).toEqual([]);
});

/** Names and reasons of the rules that it breaks. */
const findBroken = async (handle: PluginHandle, given: NodeTest | null = example): Promise<string[]> => {
  const broken: string[] = [];
  for (const { name, run } of nodeTypeChecks(handle, given)) {
    await run().catch((error: Error) => broken.push(`${name}: ${error.message}`));
  }
  return broken;
};

test('a valid node type breaks no rule', async () => {
  expect(await findBroken(greet)).toEqual([]);
  expect(nodeTypeChecks(greet, example)).toHaveLength(9);
});

test('without an example, only the declaration is checked', () => {
  expect(nodeTypeChecks(greet)).toHaveLength(4);
});

test('the handle’s own example is the default, unless it contains expressions', () => {
  expect(nodeTypeChecks({ ...greet, example: { parameters: { name: 'Ada' } } })).toHaveLength(9);
  expect(nodeTypeChecks({ ...greet, example: { parameters: { name: '{{ body.name }}' } } })).toHaveLength(4);
});

const schema = (changes: object): PluginHandle => ({
  ...greet,
  schema: { ...greet.schema, ...changes } as PluginHandle['schema'],
});

const secret = defineCredentialType({
  id: 'chatToken',
  name: 'Chat token',
  description: 'Of a bot',
  parameters: Type.Object({ token: Type.String() }),
  secretFields: ['token'],
});
const credential = { type: secret, fields: { token: 't"0"p' } };

let calls = 0;

describe('finds a node type', () => {
  test.each<[string, PluginHandle, string, NodeTest?]>([
    ['without a name', { ...greet, name: ' ' }, 'describes itself: its name is empty'],
    ['with another schema', schema({ type: 'string' }), 'its schema must have the type "object"'],
    [
      'whose schema has a keyword that no run checks',
      schema({ properties: { a: { type: 'array', contains: {} } } }),
      'its schema/properties/a/contains is not checked during a run',
    ],
    [
      'whose schema has false in place of a schema',
      schema({ properties: { a: { items: false } } }),
      'its schema/properties/a/items must be an object',
    ],
    ['with an open schema', schema({ additionalProperties: true }), '"additionalProperties": false'],
    [
      'with a parameter that is not described',
      schema({ properties: { name: { type: 'string' } } }),
      'without a description: "name"',
    ],
    [
      'with a default of another type',
      schema({ properties: { name: { type: 'string', default: 7, description: 'Of the greeted one' } } }),
      'Parameter "name" must be a string, got number',
    ],
    [
      'with an unknown parameter in its example',
      greet,
      'has the parameter "nmae"',
      { parameters: { nmae: 'a' } },
    ],
    [
      'with another parameter in its example',
      greet,
      'must be a string, got number',
      { parameters: { name: 7 } },
    ],
    [
      'that delivers on another output',
      { ...greet, execute: () => emit({ other: {} }) },
      'it delivers on "other", but declares main',
    ],
    [
      'that delivers what is not JSON',
      { ...greet, execute: () => ({ at: new Date(0) }) as never },
      "main.at can't be carried by JSON",
    ],
    [
      'that writes to its input',
      { ...greet, execute: (_node, input) => Object.assign(input, { a: 1 }) },
      'not extensible',
    ],
    [
      'that takes any value',
      { ...greet, execute: () => ({}) },
      'it accepts any value for the parameter "name"',
    ],
    [
      'that repeats a wrong value',
      {
        ...greet,
        execute: ({ parameters: { name } }) => {
          if (typeof name !== 'string') throw new TypeError(`name is ${JSON.stringify(name)}`);
          return {};
        },
      },
      'its error quotes the value of the parameter "name"',
    ],
    [
      'that does not name the parameter',
      {
        ...greet,
        execute: ({ parameters: { name } }) => {
          if (typeof name !== 'string') throw new TypeError('no');
          return {};
        },
      },
      'its error does not name the parameter "name": no',
    ],
    [
      'that delivers a secret',
      {
        ...greet,
        execute: (_node, _input, context) => {
          const { credential } = context as object as { credential: { field(name: string): string } };
          return { sent: `Bearer ${credential.field('token')}` };
        },
      },
      'its output or its log contains the field "token" of its credential',
      { ...example, credential },
    ],
    [
      'that is pure and is not',
      { ...greet, execute: () => ({ call: calls++ }) },
      'it is pure, but a second run has a different output',
    ],
  ])('%s', async (_case, handle, reason, given = example) => {
    expect((await findBroken(handle, given)).join('\n')).toContain(reason);
  });
});

describe('a trigger that needs a credential', () => {
  const trigger = defineTrigger({
    id: 'ticketTrigger',
    name: 'Ticket',
    description: 'Starts with a ticket',
    credentials: { types: ['deskToken'], required: true },
    parameters: Type.Object({}),
    execute: ({ input }) => input,
  });
  const given: NodeTest = {
    parameters: {},
    input: { ticket: 7 },
    credential: { type: 'deskToken', fields: { token: 'desk-secret-1' } },
  };

  test('starts without it, as the service starts triggers', async () => {
    expect(await findBroken(trigger, given)).toEqual([]);
    expect((await runNode(trigger, given)).outputs).toEqual({ main: { ticket: 7 } });
    expect(trigger).toMatchObject({ credentialTypes: ['deskToken'], credentialRequired: true });
  });

  test('is found if its start reads it', async () => {
    const reading: PluginHandle = {
      ...trigger,
      execute: (_node, input, { credential }) => {
        if (credential === null) throw new Error('no credential');
        return input;
      },
    };
    expect(await findBroken(reading, given)).toContain(
      'delivers JSON on declared outputs, and leaves its input unchanged: no credential',
    );
  });
});
