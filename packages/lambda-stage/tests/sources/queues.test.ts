import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { JsonObject } from '../../src/net/json.ts';
import { createQueues } from '../../src/sources/queues.ts';
import { openSourcesStore } from '../../src/sources/sources-state.ts';

const cleanups: (() => void)[] = [];
beforeEach(() => {
  jest.useFakeTimers({ now: 1_700_000_000_000, doNotFake: ['nextTick', 'queueMicrotask'] });
});
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
  jest.useRealTimers();
});

interface Options {
  /** How often a message with this body fails. */
  readonly failures?: Readonly<Record<string, number>>;
  readonly file?: string | null;
  readonly areCreated?: boolean;
  /** Whether the function's role may receive. */
  readonly mayReceive?: () => boolean;
}

/** Queues, and the batches that their function got, as bodies. */
const someQueues = ({
  failures = {},
  file = null,
  areCreated = false,
  mayReceive = () => true,
}: Options = {}) => {
  const left = new Map(Object.entries(failures));
  const batches: string[][] = [];
  const lines: string[] = [];
  const deliver = async ({ Records }: JsonObject): Promise<readonly string[] | null> => {
    if (!mayReceive()) return null;
    const records = Records as readonly { readonly messageId: string; readonly body: string }[];
    batches.push(records.map(({ body }) => body));
    return records.flatMap(({ messageId, body }) => {
      const times = left.get(body) ?? 0;
      left.set(body, times - 1);
      return times > 0 ? [messageId] : [];
    });
  };
  const queues = createQueues(openSourcesStore(file), deliver, (line) => lines.push(line), { areCreated });
  cleanups.push(queues.stop);
  const operate = (operation: string, input: JsonObject): JsonObject =>
    queues.operations[operation]?.(input) ?? {};
  const urlOf = (QueueName: string) => ({ QueueUrl: operate('GetQueueUrl', { QueueName }).QueueUrl ?? null });
  const receive = (name: string) => {
    const { Messages } = operate('ReceiveMessage', { ...urlOf(name), MaxNumberOfMessages: 10 });
    return (Messages as readonly JsonObject[]).map(({ Body }) => Body);
  };
  return {
    ...queues,
    operate,
    urlOf,
    batches,
    lines,
    receive,
    attributes: (name: string) => operate('GetQueueAttributes', urlOf(name)).Attributes,
    map: (name: string, definition: JsonObject = {}) =>
      String(queues.createMapping({ EventSourceArn: arnOf(name), ...definition }).UUID),
    send: (name: string, MessageBody: string, more: JsonObject = {}) =>
      operate('SendMessage', { ...urlOf(name), MessageBody, ...more }),
    /** Lets what waits be given again, as often as it takes. */
    pass: () => jest.advanceTimersByTimeAsync(60_000),
  };
};

const arnOf = (name: string) => `arn:aws:sqs:us-east-1:000000000000:${name}`;

describe('a queue', () => {
  test('is emptied in batches, one after the other, once something receives its messages', async () => {
    const { send, map, batches, receive, attributes, pass } = someQueues();
    for (const body of ['1', '2', '3']) send('q', body);
    expect(receive('q')).toEqual(['1', '2', '3']);
    expect(attributes('q')).toMatchObject({ ApproximateNumberOfMessages: '3', QueueArn: arnOf('q') });
    map('q', { BatchSize: 2 });
    await pass();
    expect(batches).toEqual([['1', '2'], ['3']]);
    expect(receive('q')).toEqual([]);
  });

  test('keeps its messages while the mapping is disabled or missing', async () => {
    const { send, map, updateMapping, removeMapping, listMappings, batches, pass } = someQueues();
    const uuid = map('q', { Enabled: false });
    send('q', '1');
    await pass();
    expect(batches).toEqual([]);
    updateMapping(uuid, { Enabled: true });
    await pass();
    expect(batches).toEqual([['1']]);
    removeMapping(uuid);
    send('q', '2');
    await pass();
    expect([batches.length, listMappings(null).EventSourceMappings]).toEqual([1, []]);
  });

  test('delivers a failed message again; after three receives it is a dead letter', async () => {
    const { send, map, batches, receive, lines, pass } = someQueues({ failures: { poison: 9, late: 2 } });
    map('q');
    for (const body of ['poison', 'late', 'good']) send('q', body);
    await pass();
    const received = (body: string) => batches.flat().filter((one) => one === body).length;
    expect(['poison', 'late', 'good'].map(received)).toEqual([3, 3, 1]);
    expect([receive('q'), receive('q-dead-letters')]).toEqual([[], ['poison']]);
    expect(lines).toEqual([
      expect.stringMatching(/^queue q: message \S+ went to q-dead-letters after 3 receives$/),
    ]);
  });

  test('of type FIFO keeps the order of a group, also when a message of it fails', async () => {
    const { send, map, batches, receive, pass } = someQueues({ failures: { a1: 1, c1: 9 } });
    for (const body of ['a1', 'b1', 'a2', 'c1', 'c2', 'b2'])
      send('q.fifo', body, { MessageGroupId: body.charAt(0) });
    map('q.fifo', { BatchSize: 1 });
    await pass();
    const order = batches.flat();
    const of = (group: string) => order.filter((body) => body.startsWith(group));
    expect([of('a'), of('b'), of('c')]).toEqual([
      ['a1', 'a1', 'a2'],
      ['b1', 'b2'],
      ['c1', 'c1', 'c1', 'c2'],
    ]);
    expect(order.indexOf('b2')).toBeLessThan(order.lastIndexOf('a1'));
    expect(receive('q-dead-letters.fifo')).toEqual(['c1']);
  });

  test('of type FIFO accepts a deduplication id once in five minutes', async () => {
    const { send, receive } = someQueues();
    const twice = { MessageGroupId: 'a', MessageDeduplicationId: 'id' };
    const first = send('q.fifo', '1', twice);
    expect(send('q.fifo', '1', twice)).toEqual(first);
    jest.advanceTimersByTime(300_001);
    send('q.fifo', '1', twice);
    expect(receive('q.fifo')).toHaveLength(2);
  });

  test('survives a restart, with its mapping', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'stage-sources-'));
    cleanups.push(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'sources.json');
    const before = someQueues({ file, failures: { '1': 1 } });
    before.map('q');
    before.send('q', '1');
    await jest.advanceTimersByTimeAsync(1);
    before.stop();
    const after = someQueues({ file });
    after.resume();
    await after.pass();
    expect([before.batches, after.batches, after.receive('q')]).toEqual([[['1']], [['1']], []]);
  });
});

describe('the APIs refuse', () => {
  test('a message without a group for a FIFO queue', () => {
    expect(() => someQueues().send('q.fifo', '1')).toThrow(
      expect.objectContaining({ name: 'MissingParameter' }),
    );
  });

  test('a queue of another account', () => {
    const { operations, createMapping } = someQueues();
    const other = { QueueName: 'q', QueueOwnerAWSAccountId: '123456789012' };
    expect(() => operations.GetQueueUrl?.(other)).toThrow(
      expect.objectContaining({ name: 'QueueDoesNotExist' }),
    );
    expect(() => createMapping({ EventSourceArn: 'arn:aws:sqs:us-east-1:123456789012:q' })).toThrow(
      expect.objectContaining({ name: 'InvalidParameterValueException' }),
    );
  });

  test('a second mapping of a queue, and a missing one', () => {
    const { map, updateMapping, removeMapping } = someQueues();
    map('q');
    expect(() => map('q')).toThrow(
      expect.objectContaining({ name: 'ResourceConflictException', status: 409 }),
    );
    for (const act of [() => updateMapping('x', {}), () => removeMapping('x')])
      expect(act).toThrow(expect.objectContaining({ name: 'ResourceNotFoundException' }));
  });
});

describe('queues that must be created', () => {
  const ordersArn = 'arn:aws:sqs:us-east-1:000000000000:orders';

  test('do not exist before', () => {
    const { urlOf, createMapping } = someQueues({ areCreated: true });
    expect(() => urlOf('orders')).toThrow('does not exist');
    expect(() => createMapping({ EventSourceArn: ordersArn })).toThrow('does not exist');
  });

  test('put messages into the dead-letter queue of their redrive policy, after as many receives', async () => {
    const { operate, urlOf, receive, createMapping, batches } = someQueues({
      areCreated: true,
      failures: { bad: 9 },
    });
    operate('CreateQueue', { QueueName: 'dead' });
    const policy = { maxReceiveCount: 2, deadLetterTargetArn: ordersArn.replace('orders', 'dead') };
    operate('CreateQueue', { QueueName: 'orders', Attributes: { RedrivePolicy: JSON.stringify(policy) } });
    createMapping({ EventSourceArn: ordersArn });
    operate('SendMessage', { ...urlOf('orders'), MessageBody: 'bad' });
    await jest.advanceTimersByTimeAsync(60_000);
    expect([batches, receive('orders'), receive('dead')]).toEqual([[['bad'], ['bad']], [], ['bad']]);
    const [message] = operate('ReceiveMessage', urlOf('dead')).Messages as readonly JsonObject[];
    operate('DeleteMessage', { ...urlOf('dead'), ReceiptHandle: message?.ReceiptHandle ?? null });
    expect(receive('dead')).toEqual([]);
  });

  test('keep a message while nobody may receive it', async () => {
    let may = false;
    const { operate, urlOf, receive, createMapping, batches } = someQueues({
      areCreated: true,
      mayReceive: () => may,
    });
    operate('CreateQueue', { QueueName: 'orders' });
    createMapping({ EventSourceArn: ordersArn });
    operate('SendMessage', { ...urlOf('orders'), MessageBody: 'a' });
    await jest.advanceTimersByTimeAsync(60_000);
    expect([batches, receive('orders')]).toEqual([[], ['a']]);
    may = true;
    await jest.advanceTimersByTimeAsync(2_000);
    expect([batches, receive('orders')]).toEqual([[['a']], []]);
  });
});
