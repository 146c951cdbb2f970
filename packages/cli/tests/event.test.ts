import type { JsonObject } from '@hookloom/plugin-kit';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createAwsCaller } from '../../../lib/adapters/aws/aws-caller.ts';
import { useCommandLine } from '../../../tests/support/a-command-line.ts';
import { startSources } from '../../local/sources/start-sources.ts';
import { askJson } from '../doctor/ask-aws.ts';
import { connectTarget } from '../target.ts';

const openCommandLine = useCommandLine();
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const NOWHERE = 'http://127.0.0.1:1';
const QUEUE = 'arn:aws:sqs:us-east-1:000000000000:orders.fifo';
const anEvent = { source: 'shop', 'detail-type': 'Order placed', detail: { total: 7 } };
const aMessage = { queue: QUEUE, body: { total: 7 }, groupId: 'ada' };

/** The command line before sources of the test's own, and what their function got. */
const open = async () => {
  const invoked: JsonObject[] = [];
  const pool = {
    invoke: async ({ event }: { readonly event: unknown }) => {
      invoked.push(event as JsonObject);
      return { batchItemFailures: [] };
    },
  };
  const sources = await startSources({ file: null, pool, log: () => {} });
  cleanups.push(sources.stop);
  const target = connectTarget({
    dynamodbEndpoint: NOWHERE,
    sourcesEndpoint: sources.endpoint,
    tablePrefix: 'test',
  });
  const events = target.openAws('events');
  await askJson(events, 'AWSEvents.PutRule', { Name: 'shop', EventPattern: '{"source":["shop"]}' });
  await askJson(events, 'AWSEvents.PutTargets', { Rule: 'shop', Targets: [{ Id: 'one', Arn: 'a' }] });
  const lambda = createAwsCaller({ service: 'lambda', region: 'local', endpoint: sources.endpoint });
  const body = JSON.stringify({ EventSourceArn: QUEUE });
  await lambda({ method: 'POST', path: '/2015-03-31/event-source-mappings/', body });
  return { invoked, ...(await openCommandLine({ hasDatabase: false, openTarget: () => target })) };
};

describe('event put', () => {
  test('puts an event from a file on its bus', async () => {
    const { call, file, invoked } = await open();
    const event = { ...anEvent, id: 'e-1', time: '2026-01-05T08:00:00Z', resources: ['r'] };
    expect(await call(`event put ${file('event.json', event)}`)).toEqual({
      code: 0,
      out: 'bus default: event e-1, shop "Order placed"',
      err: '',
    });
    expect(invoked).toEqual([expect.objectContaining(event)]);
    expect((await call('event put -', JSON.stringify({ ...anEvent, bus: 'crm' }))).out).toMatch(
      /^bus crm: event \S{36}, shop "Order placed"$/,
    );
    expect(invoked).toHaveLength(1); // the other bus has no rule
  });

  test('sends a message to its queue as often as requested', async () => {
    const { call, invoked } = await open();
    const message = { ...aMessage, attributes: { kind: 'order' } };
    const text = { ...aMessage, body: 'as it is', groupId: 'bob' };
    const { code, out } = await call('event put -', JSON.stringify([message, text, text]));
    expect(code).toBe(0);
    expect(out.split('\n')).toEqual([
      expect.stringMatching(/^queue orders.fifo: message \S{36}, group ada$/),
      expect.stringMatching(/^queue orders.fifo: message \S{36}, group bob$/),
      expect.stringMatching(/^queue orders.fifo: message \S{36}, group bob$/),
    ]);
    const records = invoked.flatMap(({ Records }) => Records as readonly JsonObject[]);
    expect(records.map(({ body }) => body)).toEqual(['{"total":7}', 'as it is', 'as it is']);
    expect(records[0]).toMatchObject({
      attributes: { MessageGroupId: 'ada' },
      messageAttributes: { kind: { dataType: 'String', stringValue: 'order' } },
    });
  });

  test.each<[string, unknown, string]>([
    ['no entry', [], 'stdin:1:1: / contains no event or message'],
    ['another value', 7, 'stdin:1:1: / must be an event with "source" or a message with "queue"'],
    ['a wrong one in a list', [anEvent, {}], 'stdin:1:70: /1 must be an event with "source"'],
    ['an event without its type', { source: 'shop', detail: {} }, 'stdin:1:1: / lacks the key "detail-type"'],
    ['a detail that is no object', { ...anEvent, detail: [] }, 'stdin:1:56: /detail must be object'],
    ['a time without a zone', { ...anEvent, time: '2026-01-05T08:00:00' }, '/time must'],
    ['a name in place of an ARN', { ...aMessage, queue: 'orders' }, 'stdin:1:10: /queue must'],
    [
      'a message without its group',
      { queue: QUEUE, body: 1 },
      '/ needs "groupId": its queue is a FIFO queue',
    ],
    ['a misspelt key', { ...aMessage, atributes: {} }, '"atributes"'],
  ])('refuses %s with its place, and sends nothing', async (_what, content, message) => {
    const { call, file, invoked } = await open();
    const { code, out, err } = await call(
      ['event', 'put', file('event.json', anEvent), '-'],
      JSON.stringify(content),
    );
    expect([code, out, err]).toEqual([1, '', expect.stringContaining(message)]);
    expect(invoked).toEqual([]);
  });

  test('says why an event was not accepted', async () => {
    const { call } = await open();
    const queue = 'arn:aws:sqs:us-east-1:123456789012:other';
    expect(await call('event put -', JSON.stringify({ queue, body: 1 }))).toEqual({
      code: 1,
      out: '',
      err: `the message for ${queue} was not accepted: QueueDoesNotExist: The specified queue does not exist.`,
    });
    const bus = 'arn:aws:events:us-east-1:123456789012:event-bus/crm';
    expect((await call('event put -', JSON.stringify({ ...anEvent, bus }))).err).toBe(
      `the event shop "Order placed" was not accepted: ResourceNotFoundException: Event bus ${bus} does not exist.`,
    );
    for (const close of cleanups.splice(0)) await close();
    const { code, err } = await call('event put -', JSON.stringify(anEvent));
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^the event shop "Order placed" was not accepted: .*ECONN/),
    ]);
    expect((await call('event put missing.json')).err).toBe('missing.json: no such file');
  });
});
