import { describe, expect, test } from '@jest/globals';
import {
  createPollTrigger,
  defineCredentialType,
  defineTrigger,
  fromAttempt,
  type JsonObject,
  RegistrationRefused,
  readBody,
  Type,
  toEnvelope,
} from '../index.ts';
import { nodeTypeChecks, runNode, runPoll, runRegistration } from '../testing/index.ts';

/** A trigger that polls, as an author writes it. */
const orders = createPollTrigger({
  id: 'acmeOrders',
  name: 'Orders',
  description: 'Starts the workflow for each new order',
  credentials: { types: ['acmeKey'], required: true },
  parameters: Type.Object({
    shop: Type.String({ description: 'Name of the shop' }),
    status: Type.String({ default: 'paid', description: 'Which orders' }),
  }),
  fetchItems: async ({ parameters: { shop, status }, position, credential, context }) => {
    const { http } = context.services;
    context.logger.info('Polling.', { credential: credential.id, status });
    const url = `https://api.acme.example/${shop}/orders?after=${position ?? ''}`;
    const answer = await http.request({ url, ...fromAttempt(context) });
    const items = readBody(answer, 'auto') as JsonObject[];
    return { items, keys: items.map(({ id }) => String(id)), position: items.at(-1)?.id ?? position ?? null };
  },
  example: {
    parameters: { rate: '5 minutes', shop: 'tea' },
    input: { item: { id: 'a' }, key: 'a', polledAt: '2026-01-01T00:00:00.000Z' },
  },
});

const acmeKey = defineCredentialType({
  id: 'acmeKey',
  name: 'Key of Acme',
  description: 'A key of its API',
  parameters: Type.Object({ key: Type.String({ description: 'The key' }) }),
  secretFields: ['key'],
  apply: (request, { key }) => ({ ...request, headers: { ...request.headers, 'x-key': key } }),
});

const answering = (items: readonly JsonObject[], after = '') => ({
  credential: { type: acmeKey, fields: { key: 'acme-key-1' } },
  http: [
    {
      request: { url: `https://api.acme.example/tea/orders?after=${after}` },
      answer: { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(items) },
    },
  ],
});

describe('a trigger that polls', () => {
  for (const { name, run } of nodeTypeChecks(orders)) test(name, run);

  test('takes the parameters of a schedule beside its own', () => {
    expect(Object.keys(orders.schema.properties as JsonObject)).toEqual(
      expect.arrayContaining([
        'cron',
        'rate',
        'timeZone',
        'shop',
        'status',
        'perBatch',
        'firstPoll',
        'ttlSeconds',
      ]),
    );
    expect(orders.schema.required).toEqual(['shop']);
  });

  test('polls with its credential, and continues from its position', async () => {
    const parameters = { rate: '5 minutes', shop: 'tea' };
    const first = await runPoll(orders, { parameters, ...answering([{ id: 'a' }, { id: 'b' }]) });
    expect(first).toMatchObject({ items: [{ id: 'a' }, { id: 'b' }], keys: ['a', 'b'], position: 'b' });
    const next = await runPoll(orders, { parameters, after: first, ...answering([], 'b') });
    expect(next).toMatchObject({ items: [], keys: [], position: 'b' });
    expect(next.requests).toHaveLength(1);
  });

  test('gets its parameters with their defaults, and its credential', async () => {
    const parameters = { rate: '5 minutes', shop: 'tea', perBatch: true };
    const { log } = await runPoll(orders, { parameters, ...answering([]) });
    expect(log[0]?.fields).toEqual({ credential: 'credential-1', status: 'paid' });
    const wrong = runPoll(orders, { parameters: { shop: 7 }, ...answering([]) });
    await expect(wrong).rejects.toThrow('Parameter "shop" must be a string');
  });

  test('fails without the credential that it needs', async () => {
    const poll = runPoll(orders, { parameters: { shop: 'tea' } });
    await expect(poll).rejects.toThrow('the node needs a credential of the type acmeKey');
  });

  test('starts nothing at first, and then what was not seen', async () => {
    const parameters = { shop: 'tea' };
    const first = await runPoll(orders, { parameters, ...answering([{ id: 'a' }, { id: 'b' }]) });
    expect(first).toMatchObject({ starts: [], seen: ['a', 'b'] });
    const items = [{ id: 'c' }, { id: 'b' }, { id: 'c', again: true }, { id: 'd' }];
    const next = await runPoll(orders, { parameters, after: first, ...answering(items, 'b') });
    const polledAt = '2026-01-01T00:00:00.000Z';
    expect(next.starts).toEqual([
      { item: { id: 'c' }, key: 'c', polledAt },
      { item: { id: 'd' }, key: 'd', polledAt },
    ]);
    expect(next.seen).toEqual(['a', 'b', 'c', 'd']);
    const [input = {}] = next.starts;
    expect((await runNode(orders, { input })).outputs.main).toMatchObject({ item: { id: 'c' }, key: 'c' });
  });

  test('starts with all, in one execution, as its parameters say', async () => {
    const parameters = { shop: 'tea', firstPoll: 'all', perBatch: true };
    const first = await runPoll(orders, { parameters, ...answering([{ id: 'a' }, { id: 'b' }]) });
    expect(first.starts).toEqual([
      { items: [{ id: 'a' }, { id: 'b' }], keys: ['a', 'b'], polledAt: '2026-01-01T00:00:00.000Z' },
    ]);
    const next = await runPoll(orders, { parameters, after: first, ...answering([], 'b') });
    expect(next.starts).toEqual([]);
  });

  test.each<[string, readonly JsonObject[], string]>([
    ['an empty key', [{ id: '' }], 'The key of items[0] must be a string that is not empty'],
    ['too many items', Array.from({ length: 1_001 }, (_, id) => ({ id })), 'has 1001 items; at most 1000'],
  ])('fails in a test as in the service for %s', async (_what, items, message) => {
    const poll = runPoll(orders, { parameters: { shop: 'tea' }, ...answering(items) });
    await expect(poll).rejects.toThrow(message);
  });

  test('registers on the schedules of the stage', async () => {
    const name = 'N'.repeat(43);
    const parameters = { rate: '5 minutes', shop: 'tea' };
    expect(await runRegistration(orders, 'register', { parameters })).toEqual({
      requests: [],
      schedules: [`put ${name}`],
    });
    expect(await runRegistration(orders, 'unregister', { parameters })).toEqual({
      requests: [],
      schedules: [`remove ${name}`],
    });
  });

  test('outputs the item, and says what a start by hand lacks', async () => {
    const { outputs } = await runNode(orders, { input: { item: { id: 'a' }, key: 'a' } });
    expect(outputs.main).toEqual({
      triggeredAt: '2026-01-01T00:00:00.000Z',
      triggerType: 'poll',
      item: { id: 'a' },
      key: 'a',
    });
    await expect(runNode(orders, {})).rejects.toThrow('The input has no "item"');
  });
});

describe('a trigger that registers itself', () => {
  const watch = defineTrigger({
    id: 'acmeWatch',
    name: 'Watch',
    description: 'Starts the workflow for events of a shop',
    parameters: Type.Object({ shop: Type.String({ description: 'Name of the shop' }) }),
    firedBy: {
      register: async (trigger, { callAws }) => {
        const body = { ...toEnvelope(trigger), shop: trigger.parameters.shop ?? null };
        const path = `/rules/${trigger.name}`;
        const { status } = await callAws({ service: 'events', method: 'PUT', path, body });
        if (status === 404) throw new RegistrationRefused('there is no such shop', '/shop');
      },
      toInput: (event) => event,
      toKey: ({ id }) => String(id),
    },
    execute: ({ input }) => input,
  });
  const name = 'N'.repeat(43);
  const request = {
    service: 'events',
    method: 'PUT' as const,
    path: `/rules/${name}`,
    body: {
      hookloom: { workflowId: 'workflow-1', triggerNodeId: 'start', registration: name },
      shop: 'tea',
    },
  };
  const parameters = { shop: 'tea' };

  test('is answered by the test, which sees its requests', async () => {
    const answers = [{ request, status: 200 }];
    const { requests } = await runRegistration(watch, 'register', { parameters, answers });
    expect(requests).toEqual([request]);
  });

  test('can be refused', async () => {
    const registering = runRegistration(watch, 'register', {
      parameters,
      answers: [{ request, status: 404 }],
    });
    await expect(registering).rejects.toMatchObject({ name: 'RegistrationRefused', path: '/shop' });
  });

  test.each<[string, Parameters<typeof runRegistration>[2], string]>([
    ['that nobody expects', { parameters }, 'request 1 is not expected: PUT /rules/'],
    ['of other parameters', { parameters: { shop: 'milk' }, answers: [{ request, status: 200 }] }, '"milk"'],
    [
      'too few',
      { parameters, answers: Array.from({ length: 2 }, () => ({ request, status: 200 })) },
      '2 requests are expected, and 1 were sent',
    ],
  ])('fails a test by requests %s', async (_what, given, message) => {
    await expect(runRegistration(watch, 'register', given)).rejects.toThrow(message);
  });

  test('is no trigger that polls, nor one that unregisters', async () => {
    await expect(runPoll(watch)).rejects.toThrow('acmeWatch is no trigger that polls');
    await expect(runRegistration(watch, 'unregister')).rejects.toThrow('has no "unregister"');
  });
});
