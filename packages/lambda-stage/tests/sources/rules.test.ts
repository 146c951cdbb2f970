import { expect, test } from '@jest/globals';
import type { JsonObject } from '../../src/net/json.ts';
import { createRules } from '../../src/sources/rules.ts';
import { openSourcesStore } from '../../src/sources/sources-state.ts';

const target = { Id: 'one', DeadLetterConfig: { Arn: 'arn:aws:sqs:us-east-1:000000000000:lost' } };

/** A bus, and the events that its function got. */
const aBus = () => {
  const invoked: JsonObject[] = [];
  const deliver = async (event: JsonObject) => void invoked.push(event);
  const rules = createRules(openSourcesStore(null), deliver);
  const call = (operation: string, input: JsonObject): JsonObject => rules[operation]?.(input) ?? {};
  return {
    call,
    invoked,
    rule: (Name: string, pattern: JsonObject, more: JsonObject = {}, Target: JsonObject = target) => {
      call('PutRule', { Name, EventPattern: JSON.stringify(pattern), ...more });
      call('PutTargets', { Rule: Name, Targets: [Target], ...more });
    },
    send: (Source: string, more: JsonObject = {}) =>
      call('PutEvents', { Entries: [{ Source, DetailType: 'Happened', Detail: '{"n":1}', ...more }] }),
    sources: () => invoked.map(({ source }) => source),
  };
};

test('an event reaches the targets of matching rules on its bus', () => {
  const { rule, send, sources } = aBus();
  rule('a', { source: ['shop'] });
  rule('same', { detail: { n: [{ numeric: ['>', 0] }] }, source: [{ prefix: 'sh' }] });
  rule('other-bus', { source: ['shop'] }, { EventBusName: 'crm' });
  rule('disabled', { source: ['shop'] }, { State: 'DISABLED' });
  send('shop');
  send('else');
  expect(sources()).toEqual(['shop', 'shop']);
  send('shop', { EventBusName: 'arn:aws:events:us-east-1:000000000000:event-bus/crm' });
  expect(sources()).toHaveLength(3);
});

test('a target gets the output of its transformer, whatever the event contains', () => {
  const { rule, send, invoked } = aBus();
  const InputTemplate = '{"for":"me","event":<aws.events.event.json>}';
  rule('a', { source: ['shop'] }, {}, { Id: 'one', InputTransformer: { InputTemplate } });
  send('shop', {
    Detail: '{"text":"$& \\" <aws.events.event.json>"}',
    Id: 'id-1',
    Time: 0,
    Resources: ['r'],
  });
  expect(invoked).toEqual([
    {
      for: 'me',
      event: {
        version: '0',
        id: 'id-1',
        'detail-type': 'Happened',
        source: 'shop',
        account: '000000000000',
        time: '1970-01-01T00:00:00Z',
        region: 'us-east-1',
        resources: ['r'],
        detail: { text: '$& " <aws.events.event.json>' },
      },
    },
  ]);
});

test('a rule without targets has no effect, and only such a rule can be deleted', () => {
  const { call, rule, send, invoked } = aBus();
  rule('a', { source: ['shop'] });
  expect(call('DescribeRule', { Name: 'a' })).toMatchObject({
    State: 'ENABLED',
    EventPattern: '{"source":["shop"]}',
  });
  expect(() => call('DeleteRule', { Name: 'a' })).toThrow(
    expect.objectContaining({ name: 'ValidationException' }),
  );
  call('RemoveTargets', { Rule: 'a', Ids: ['one'] });
  send('shop');
  expect(invoked).toEqual([]);
  for (let times = 0; times < 2; times++) call('DeleteRule', { Name: 'a' });
  expect(() => call('DescribeRule', { Name: 'a' })).toThrow(
    expect.objectContaining({ name: 'ResourceNotFoundException' }),
  );
});

test.each<[string, string, JsonObject]>([
  ['InvalidEventPatternException', 'PutRule', { Name: 'a', EventPattern: '{"source":"shop"}' }],
  ['InvalidEventPatternException', 'PutRule', { Name: 'a', EventPattern: 'shop' }],
  ['ResourceNotFoundException', 'PutTargets', { Rule: 'b', Targets: [target] }],
  [
    'ResourceNotFoundException',
    'PutRule',
    { Name: 'a', EventBusName: 'arn:aws:events:us-east-1:1:event-bus/crm' },
  ],
  ['ValidationException', 'PutEvents', { Entries: [{ Source: 'shop', DetailType: 'x', Detail: '[]' }] }],
])('its API refuses with %s: %s %j', (name, operation, input) => {
  const { call } = aBus();
  const pattern = operation === 'PutRule' ? { EventPattern: '{"source":["shop"]}', ...input } : input;
  expect(() => call(operation, pattern)).toThrow(expect.objectContaining({ name }));
});
