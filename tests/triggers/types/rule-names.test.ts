import {
  type EventSource,
  type RegisteredTrigger,
  type RegistrationRequest,
  toEnvelope,
} from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { toRegistration } from '../../../lib/triggers/registrations/registration.ts';
import eventTrigger from '../../../lib/triggers/types/event-trigger.plugin.ts';
import { aWorkflowOf } from '../../support/a-registrar.ts';
import { aRule, useTriggerServices } from '../../support/a-trigger-service.ts';

const openService = useTriggerServices();

const { register, unregister } = eventTrigger.firedBy as Required<EventSource>;

const HASH = 'A-_0'.repeat(11).slice(0, 43);

/** The names of the rules that a stage's trigger is registered and unregistered with. */
const ruleNames = async (stage: string, name: string) => {
  const names: unknown[] = [];
  const context = {
    prefix: `hookloom-${stage}`,
    partition: 'aws',
    region: 'eu-west-1',
    accountId: '123456789012',
    dispatchArn: `arn:aws:lambda:eu-west-1:123456789012:function:hookloom-${stage}-dispatch`,
    now: () => 0,
    callAws: async ({ body }: RegistrationRequest) => {
      names.push(body?.Rule ?? body?.Name);
      return { status: 200, body: {} };
    },
    schedules: { put: async () => {}, remove: async () => {}, inspect: async () => 'on' as const },
  };
  const parameters = { pattern: { source: ['shop'] } };
  const trigger: RegisteredTrigger = { workflowId: 'orders', triggerNodeId: 'upload', name, parameters };
  await register(trigger, context);
  await unregister(trigger, context);
  return new Set(names);
};

describe('the name of a rule', () => {
  test.each(['dev', 'production', 'production-eu', 'a-stage-with-a-long-name'])(
    'in the stage %s has a dot after the prefix, which no name of a stage has',
    async (stage) => {
      const [name, ...others] = [...(await ruleNames(stage, `2.${HASH}`))];
      expect(others).toEqual([]);
      expect(name).toBe(`hookloom-${stage}.2.${HASH}`.slice(0, 53));
    },
  );

  test('of a registration of an earlier release is the one that it has', async () => {
    expect([...(await ruleNames('production', HASH))]).toEqual([`hookloom-production-${HASH}`]);
    expect([...(await ruleNames('a-long-stage', HASH))]).toEqual([
      `hookloom-a-long-stage-${HASH.slice(0, 42)}`,
    ]);
  });
});

test('a sweep renames a rule of an earlier release; no event is lost before, and none starts twice', async () => {
  const service = await openService();
  const { clock, findNodeType, registrations, stores } = service;
  const definition = aWorkflowOf([aRule('shop')]);
  await stores.workflows.put(definition, []);
  const [node = aRule('shop')] = definition.nodes;
  const wanted = toRegistration(definition.id, node, findNodeType);
  if (wanted === null) throw new Error('the trigger registers nothing');
  expect(wanted.name).toMatch(/^2\./);
  const former = { ...wanted, name: wanted.name.replace('2.', '') };
  const context = {
    ...(await service.openContext()),
    schedules: { put: async () => {}, remove: async () => {}, inspect: async () => 'on' as const },
  };
  await register(former, context);
  await registrations.change(await registrations.claim(former), 'registered');

  const happen = async (Id: string) => {
    await service.putEvent('shop', { Id });
    await service.settled();
    return (await service.records()).length;
  };
  expect(await happen('before')).toBe(1);
  // Until the sweep has removed the former rule, both send the event.
  for (const { name } of [former, wanted])
    await service.dispatch({ ...toEnvelope({ ...wanted, name }), event: { id: 'between' } });
  expect(await service.records()).toHaveLength(2);

  clock.advance(3_600_000);
  await service.sweep();
  expect((await registrations.list()).map(({ name, state }) => [name, state])).toEqual([
    [wanted.name, 'registered'],
  ]);
  expect(service.outside()).toEqual(['rule ["shop"]']);
  expect(await happen('after')).toBe(3);
});
