import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createDeliver } from '../../sources/start-sources.ts';

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] });
});
afterEach(() => {
  jest.useRealTimers();
});

const target = { Id: 'one', DeadLetterConfig: { Arn: 'arn:aws:sqs:us-east-1:000000000000:lost' } };

/** Delivers an event to a function. @param failures - how many invocations fail */
const deliver = async (failures: number) => {
  let left = failures;
  const invoked: unknown[] = [];
  const buried: unknown[] = [];
  const lines: string[] = [];
  const pool = {
    invoke: async ({ event }: { readonly event: unknown }) => {
      invoked.push(event);
      if (left-- > 0) throw new Error('down');
    },
  };
  const send = createDeliver(
    pool,
    (queue, event) => void buried.push([queue, event]),
    (line) => void lines.push(line),
  );
  void send({ source: 'shop' }, { label: 'rule a', arn: 'arn', target });
  await jest.advanceTimersByTimeAsync(10_000);
  return { invoked, buried, lines };
};

test('an event whose function fails is delivered again; after three attempts it is a dead letter', async () => {
  const passing = await deliver(2);
  expect([passing.invoked.length, passing.buried]).toEqual([3, []]);

  const failing = await deliver(3);
  expect(failing.buried).toEqual([['arn:aws:sqs:us-east-1:000000000000:lost', failing.invoked[0]]]);
  expect(failing.lines).toEqual(['rule a: gave up after 3 attempts: down']);
});
