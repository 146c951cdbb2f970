import {
  closed,
  isPlainObject,
  type JsonObject,
  type RegisteredTrigger,
  type RegistrationContext,
  RegistrationRefused,
  type TriggerProvider,
  Type,
  toEnvelope,
} from '@hookloom/plugin-kit';
import { findPatternProblems } from '../event-pattern/find-pattern-problems.ts';
import { readFailure, requireSuccess } from './aws-failure.ts';
import { RETRIES, triggerDeadLetters } from './stage-resources.ts';

const DEFAULT_BUS = 'default';

const sample = {
  id: '1',
  source: 'aws.s3',
  'detail-type': 'Object Created',
  detail: { object: { key: 'a.csv' } },
};

/**
 * A trigger of the legacy API: fires when an event on an EventBridge bus matches its pattern, by means of a rule.
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rules.html
 */
const eventTrigger: TriggerProvider = {
  nodeType: 'eventTrigger',
  displayName: 'Event',
  description:
    'Starts the workflow when an EventBridge event matches a pattern: from AWS services, partners or your own applications',
  category: 'trigger',
  version: '1.0.0',
  properties: [
    {
      name: 'pattern',
      displayName: 'Pattern',
      type: 'object',
      required: true,
      description: 'EventBridge event pattern that selects the events',
    },
    {
      name: 'bus',
      displayName: 'Bus',
      type: 'string',
      default: DEFAULT_BUS,
      description: 'Name of an event bus in the account',
    },
  ],
  literalParameters: ['pattern', 'bus'],
  checkParameters: ({ pattern, bus }) => [
    ...findPatternProblems(pattern).map(({ path, message }) => ({ path: `/pattern${path}`, message })),
    ...(bus === '' ? [{ path: '/bus', message: 'must not be empty' }] : []),
  ],
  outputs: {
    main: closed({
      triggeredAt: Type.String(),
      triggerType: Type.String(),
      // https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-events-structure.html
      event: Type.Object({
        id: Type.String(),
        source: Type.String(),
        'detail-type': Type.String(),
        detail: Type.Unknown(),
      }),
    }),
  },
  firedBy: {
    form: 2,
    register: async (trigger, { callAws, ...context }) => {
      const call = toCall(callAws);
      const names = toNames(trigger, context);
      const rule = await call('PutRule', {
        Name: names.Rule,
        EventBusName: names.EventBusName,
        EventPattern: JSON.stringify(trigger.parameters.pattern),
        State: 'ENABLED',
        Description: `${trigger.workflowId} ${trigger.triggerNodeId}`,
      });
      refuseWrong(rule, names.EventBusName);
      const targets = await call('PutTargets', {
        ...names,
        Targets: [toTarget(trigger, { callAws, ...context })],
      });
      requireSuccess('EventBridge', targets);
      const [failed] = Array.isArray(targets.body.FailedEntries) ? targets.body.FailedEntries : [];
      if (isPlainObject(failed))
        throw new Error(`EventBridge did not accept the target: ${String(failed.ErrorMessage)}`);
    },
    unregister: async (trigger, { callAws, ...context }) => {
      const call = toCall(callAws);
      const names = toNames(trigger, context);
      const targets = await call('RemoveTargets', { ...names, Ids: [TARGET] });
      requireSuccess('EventBridge', targets, 'ResourceNotFoundException');
      const { Rule: Name, EventBusName } = names;
      const rule = await call('DeleteRule', { Name, EventBusName });
      requireSuccess('EventBridge', rule, 'ResourceNotFoundException');
    },
    inspect: async (trigger, { callAws, ...context }) => {
      const { Rule: Name, EventBusName } = toNames(trigger, context);
      const rule = await toCall(callAws)('DescribeRule', { Name, EventBusName });
      if (readFailure(rule)?.name === 'ResourceNotFoundException') return 'missing';
      requireSuccess('EventBridge', rule);
      return rule.body.State === 'DISABLED' ? 'off' : 'on';
    },
    toInput: ({ event }) => ({ event: event ?? null }),
    toKey: ({ event }) => {
      if (!isPlainObject(event) || typeof event.id !== 'string') throw new TypeError('the event has no "id"');
      return event.id;
    },
  },
  example: {
    parameters: { pattern: { source: ['aws.s3'], 'detail-type': ['Object Created'] } },
    input: { event: sample },
    output: { triggeredAt: '2026-01-01T00:00:00.000Z', triggerType: 'event', event: sample },
  },
  getExecutor: () => ({
    getNodeType: () => 'eventTrigger',
    execute: (_node, input, { services }) => ({
      triggeredAt: new Date(services.clock.now()).toISOString(),
      triggerType: 'event',
      ...input,
    }),
  }),
};

export default eventTrigger;

const TARGET = 'dispatch';

/** Maximum length of a rule's name: https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutRule.html */
const MAX_RULE_NAME = 64;

/** Less than any name of the first form has: permissions to remove those are for their length, and include none of this form. */
const MAX_LENGTH = 53;

/**
 * A dot ends the prefix, which the name of a stage can't have: permissions for `STAGE.*` include no rule of a stage whose name
 * begins with this one. Names of the first form have a dash there.
 */
const toNames = (
  { name, parameters }: RegisteredTrigger,
  { prefix }: Pick<RegistrationContext, 'prefix'>,
) => ({
  Rule: name.includes('.')
    ? `${prefix}.${name}`.slice(0, MAX_LENGTH)
    : `${prefix}-${name}`.slice(0, MAX_RULE_NAME),
  EventBusName: typeof parameters.bus === 'string' ? parameters.bus : DEFAULT_BUS,
});

const toCall = (callAws: RegistrationContext['callAws']) => (operation: string, body: JsonObject) =>
  callAws({
    service: 'events',
    method: 'POST',
    path: '/',
    headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `AWSEvents.${operation}` },
    body,
  });

/**
 * The trigger's address, followed by the event:
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-transform-target-input.html
 */
const toTarget = (trigger: RegisteredTrigger, context: RegistrationContext): JsonObject => ({
  Id: TARGET,
  Arn: context.dispatchArn,
  InputTransformer: {
    InputTemplate: `${JSON.stringify(toEnvelope(trigger)).slice(0, -1)},"event":<aws.events.event.json>}`,
  },
  RetryPolicy: RETRIES,
  DeadLetterConfig: { Arn: triggerDeadLetters(context) },
});

/** @throws RegistrationRefused if the workflow's author can fix the cause */
const refuseWrong = (answer: { readonly status: number; readonly body: JsonObject }, bus: string): void => {
  const failure = readFailure(answer);
  switch (failure?.name) {
    case 'ResourceNotFoundException':
      throw new RegistrationRefused(`there is no event bus "${bus}" in this account and region`, '/bus');
    case 'InvalidEventPatternException':
      throw new RegistrationRefused(failure.message, '/pattern');
    case 'LimitExceededException':
      throw new RegistrationRefused(`the bus "${bus}" can't hold another rule: ${failure.message}`, '/bus');
  }
  requireSuccess('EventBridge', answer);
};
