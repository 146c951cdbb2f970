import { describe, expect, test } from '@jest/globals';
import {
  createPolicies,
  type PolicyDocument,
  type PolicyStatement,
  readAccount,
  resolveTemplate,
  type Template,
  toSession,
} from 'lambda-stage/door';
import { readStageTemplate } from '../../../../tests/support/a-stage-template.ts';

const account = '123456789012';
const region = 'eu-west-1';

const open = (template: Template, users: Readonly<Record<string, readonly PolicyDocument[]>> = {}) => {
  const resolved = resolveTemplate(template, { account, region, stackName: 'hookloom-dev' });
  const known = readAccount(resolved, users);
  const policies = createPolicies(known, account);
  const decide = (
    principal: string,
    action: string,
    resource: string,
    context = {},
    session: PolicyDocument | null = null,
  ) => {
    const found = known.find(principal);
    const caller =
      found === null ? principal : found.kind === 'role' ? toSession(found, 'it', session) : found;
    return policies.decide({ caller, action, resource, context });
  };
  return { resolved, decide, grantUses: policies.grantUses };
};

test.each(['SweepRegistrationsRole', 'AdminEditWorkflowsRole', 'AdminSettingsRole'])(
  '%s changes no rule of a stage whose name begins with its own and a dash, however long both are',
  async (role) => {
    const { decide } = open(readStageTemplate('production-one'));
    const allowedOn = async (name: string, place = '') => {
      const rule = `arn:aws:events:${region}:${account}:rule/${place}${name.slice(0, name.includes('.') ? 53 : 64)}`;
      const actions = ['events:PutRule', 'events:DeleteRule', 'events:RemoveTargets'];
      const decisions = await Promise.all(actions.map((action) => decide(role, action, rule)));
      return actions.filter((_, at) => decisions[at]?.allowed);
    };
    const hash = 'A-_0'.repeat(11).slice(0, 43);
    for (const other of ['eu', 'e', 'one', 'eu-central-1'])
      for (const place of ['', 'orders/'])
        expect(await allowedOn(`hookloom-production-one-${other}.2.${hash}`, place)).toEqual([]);
    expect(await allowedOn(`hookloom-production-one.2.${hash}`)).toHaveLength(3);
    expect(await allowedOn(`hookloom-production-one-${hash}`)).toEqual([
      'events:DeleteRule',
      'events:RemoveTargets',
    ]);
  },
);

describe('the roles of serverless.yml allow what their functions do, and nothing else:', () => {
  const { resolved, decide } = open(readStageTemplate());
  const of = (logicalId: string, part = '') => `${resolved.resources[logicalId]?.arn}${part}`;
  const arn = (service: string, resource: string, at = region) =>
    `arn:aws:${service}:${at}:${account}:${resource}`;
  const lambda = (name: string) => arn('lambda', `function:hookloom-dev-${name}`);
  const rule = arn('events', `rule/hookloom-dev.2.${'a'.repeat(38)}`);
  const ruleOfBus = arn('events', `rule/orders/hookloom-dev.2.${'a'.repeat(38)}`);
  const formerRule = arn('events', `rule/hookloom-dev-${'a'.repeat(43)}`);
  const toScheduler = { 'iam:PassedToService': 'scheduler.amazonaws.com' };
  const ofDispatch = { 'lambda:FunctionArn': lambda('dispatch') };
  const ofGroup = { 'aws:SourceAccount': account, 'aws:SourceArn': of('ScheduleGroup') };

  const allowed: readonly (readonly [string, string, string, object?])[] = [
    ['WebhookRole', 'dynamodb:GetItem', of('WorkflowsTable')],
    ['WebhookRole', 'dynamodb:Query', of('ExecutionsTable', '/index/bySweep')],
    ['WebhookRole', 's3:PutObject', of('BlobBucket', '/executions/a/b c')],
    ['WebhookRole', 's3:ListBucket', of('BlobBucket')],
    ['WebhookRole', 'ssm:GetParameters', arn('ssm', 'parameter/hookloom-dev/credentials/crm')],
    [
      'WebhookRole',
      'secretsmanager:GetSecretValue',
      arn('secretsmanager', 'secret:hookloom-dev/db-AbCdEf', 'us-east-2'),
    ],
    ['WebhookRole', 'lambda:InvokeFunction', lambda('runDurable:durable')],
    [
      'WebhookRole',
      'logs:PutLogEvents',
      arn('logs', 'log-group:/aws/lambda/hookloom-dev-webhook:log-stream:2026/[1]a'),
    ],
    ['WebhookRole', 'sts:AssumeRole', of('WorkflowRole')],
    ['RunDurableRole', 'lambda:CheckpointDurableExecution', lambda('runDurable:1/durable-execution/a/b')],
    ['RunDurableRole', 'sqs:SendMessage', of('DeadLetterQueue')],
    ['SweepRole', 'lambda:GetDurableExecution', lambda('runDurable:7/durable-execution/a/b')],
    ['SweepRegistrationsRole', 'iam:PassRole', of('SchedulerRole'), toScheduler],
    ['SweepRegistrationsRole', 'scheduler:CreateSchedule', arn('scheduler', 'schedule/hookloom-dev/a')],
    ['SweepRegistrationsRole', 'events:PutRule', rule],
    ['SweepRegistrationsRole', 'events:PutRule', ruleOfBus],
    ['SweepRegistrationsRole', 'events:DeleteRule', ruleOfBus],
    ['SweepRegistrationsRole', 'events:RemoveTargets', formerRule],
    ['SweepRegistrationsRole', 'events:DeleteRule', formerRule],
    ['events.amazonaws.com', 'lambda:InvokeFunction', lambda('dispatch'), { 'aws:SourceArn': formerRule }],
    ['SweepRegistrationsRole', 'events:PutTargets', rule, { 'events:TargetArn': [lambda('dispatch')] }],
    ['SweepRegistrationsRole', 'lambda:CreateEventSourceMapping', '*', ofDispatch],
    ['SweepRegistrationsRole', 'lambda:ListEventSourceMappings', '*'],
    ['SchedulerRole', 'lambda:InvokeFunction', lambda('dispatch')],
    ['scheduler.amazonaws.com', 'sts:AssumeRole', of('SchedulerRole'), ofGroup],
    ['lambda.amazonaws.com', 'sts:AssumeRole', of('WebhookRole')],
    ['events.amazonaws.com', 'lambda:InvokeFunction', lambda('dispatch'), { 'aws:SourceArn': rule }],
    ['events.amazonaws.com', 'sqs:SendMessage', of('TriggerDeadLetterQueue'), { 'aws:SourceArn': ruleOfBus }],
  ];
  test.each(allowed)('%s may %s on %s', async (principal, action, resource, context = {}) => {
    expect(await decide(principal, action, resource, context)).toMatchObject({ allowed: true });
  });

  const refused: readonly (readonly [string, string, string, object?])[] = [
    ['WebhookRole', 'dynamodb:Scan', of('WorkflowsTable')],
    ['WebhookRole', 'dynamodb:Query', of('ExecutionsTable')],
    ['WebhookRole', 'dynamodb:GetItem', `${of('WorkflowsTable')}-other`],
    ['WebhookRole', 'dynamodb:GetItem', of('WorkflowsTable').replace(region, 'us-east-1')],
    ['WebhookRole', 's3:GetObject', of('BlobBucket', '/uploads/a')],
    ['WebhookRole', 's3:DeleteObject', of('BlobBucket', '/executions/a')],
    ['WebhookRole', 'ssm:GetParameters', arn('ssm', 'parameter/hookloom-production/credentials/crm')],
    ['WebhookRole', 'lambda:InvokeFunction', lambda('runDurable')],
    ['WebhookRole', 'lambda:InvokeFunction', lambda('sweep')],
    [
      'WebhookRole',
      'logs:PutLogEvents',
      arn('logs', 'log-group:/aws/lambda/hookloom-dev-sweep:log-stream:a'),
    ],
    ['SweepRole', 'sts:AssumeRole', of('WorkflowRole')],
    ['AdminDebugRole', 'dynamodb:GetItem', of('WorkflowsTable')],
    [
      'SweepRegistrationsRole',
      'iam:PassRole',
      of('SchedulerRole'),
      { 'iam:PassedToService': 'lambda.amazonaws.com' },
    ],
    ['SweepRegistrationsRole', 'iam:PassRole', of('WebhookRole'), toScheduler],
    ['SweepRegistrationsRole', 'scheduler:CreateSchedule', arn('scheduler', 'schedule/default/a')],
    ['SweepRegistrationsRole', 'events:PutRule', arn('events', `rule/hookloom-dev-eu-${'a'.repeat(43)}`)],
    ['SweepRegistrationsRole', 'events:PutRule', formerRule],
    ['SweepRegistrationsRole', 'events:PutTargets', formerRule, { 'events:TargetArn': [lambda('dispatch')] }],
    ['SweepRegistrationsRole', 'events:PutTargets', rule],
    [
      'SweepRegistrationsRole',
      'events:PutTargets',
      rule,
      { 'events:TargetArn': [lambda('dispatch'), lambda('webhook')] },
    ],
    [
      'SweepRegistrationsRole',
      'lambda:CreateEventSourceMapping',
      '*',
      { 'lambda:FunctionArn': lambda('webhook') },
    ],
    ['SweepRegistrationsRole', 'lambda:CreateEventSourceMapping', '*'],
    [
      'scheduler.amazonaws.com',
      'sts:AssumeRole',
      of('SchedulerRole'),
      { ...ofGroup, 'aws:SourceAccount': '210987654321' },
    ],
    ['scheduler.amazonaws.com', 'sts:AssumeRole', of('SchedulerRole')],
    ['scheduler.amazonaws.com', 'sts:AssumeRole', of('WebhookRole')],
    [
      'events.amazonaws.com',
      'lambda:InvokeFunction',
      lambda('dispatch'),
      { 'aws:SourceArn': arn('events', 'rule/other') },
    ],
    ['events.amazonaws.com', 'lambda:InvokeFunction', lambda('webhook'), { 'aws:SourceArn': rule }],
    ['events.amazonaws.com', 'sqs:SendMessage', of('DeadLetterQueue'), { 'aws:SourceArn': rule }],
    ['WorkflowRole', 'dynamodb:GetItem', of('WorkflowsTable')],
  ];
  test.each(refused)('%s may not %s on %s', async (principal, action, resource, context = {}) => {
    const { allowed: isAllowed, reason } = await decide(principal, action, resource, context);
    expect([isAllowed, reason]).toEqual([
      false,
      expect.stringContaining(`not authorized to perform: ${action}`),
    ]);
  });

  test('no statement for workflows reaches the service’s own resources', async () => {
    const { Resources } = readStageTemplate();
    const everything = { Version: '2012-10-17', Statement: { Effect: 'Allow', Action: '*', Resource: '*' } };
    const role = Resources.WorkflowRole;
    const Properties = { ...role?.Properties, Policies: [{ PolicyName: 'all', PolicyDocument: everything }] };
    const stage = open({ Resources: { ...Resources, WorkflowRole: { Type: 'AWS::IAM::Role', Properties } } });
    const cases: readonly (readonly [string, string, boolean, string])[] = [
      ['dynamodb:GetItem', arn('dynamodb', 'table/customers'), true, 'allowed by WorkflowRole[0]'],
      ['dynamodb:GetItem', of('WorkflowsTable'), false, 'an explicit deny in the policy of the boundary'],
      [
        's3:GetObject',
        of('BlobBucket', '/executions/a'),
        false,
        'an explicit deny in the policy of the boundary',
      ],
      [
        'iam:CreateUser',
        `arn:aws:iam::${account}:user/a`,
        false,
        'no permissions boundary allows the iam:CreateUser action',
      ],
      [
        'sts:AssumeRole',
        `arn:aws:iam::${account}:role/a`,
        false,
        'no permissions boundary allows the sts:AssumeRole action',
      ],
    ];
    for (const [action, resource, isAllowed, reason] of cases)
      expect(await stage.decide('WorkflowRole', action, resource)).toEqual({
        allowed: isAllowed,
        reason: expect.stringContaining(reason),
      });
  });
});

describe('a policy is evaluated as by IAM:', () => {
  const statement = (parts: Partial<PolicyStatement>): PolicyStatement => ({
    Effect: 'Allow',
    ...(parts.NotAction === undefined ? { Action: 's3:GetObject' } : {}),
    ...(parts.NotResource === undefined ? { Resource: '*' } : {}),
    ...parts,
  });
  const object = 'arn:aws:s3:::orders/2026/a.json';
  const ask = async (
    Statement: readonly PolicyStatement[],
    context = {},
    action = 's3:GetObject',
    resource = object,
  ) => {
    const users = { it: [{ Version: '2012-10-17', Statement }] };
    return (await open({ Resources: {} }, users).decide('it', action, resource, context)).allowed;
  };

  test.each<[string, boolean, Partial<PolicyStatement>, object?]>([
    ['a wildcard in the action', true, { Action: 's3:Get*' }],
    ['a wildcard for one character', true, { Action: 's3:GetObjec?' }],
    ['another case of the action', true, { Action: 'S3:getobject' }],
    ['a wildcard in the action of another service', false, { Action: 'sqs:*' }],
    ['a part of the action', false, { Action: 's3:GetObj' }],
    ['no action but others', true, { NotAction: ['s3:PutObject', 'iam:*'] }],
    ['all but this action', false, { NotAction: 's3:Get*' }],
    ['a wildcard in the resource', true, { Resource: 'arn:aws:s3:::orders/*' }],
    ['a wildcard across slashes', true, { Resource: 'arn:aws:s3:::orders/*.json' }],
    ['one of several resources', true, { Resource: ['arn:aws:s3:::other/*', object] }],
    ['another case of the resource', false, { Resource: 'arn:aws:s3:::Orders/*' }],
    ['the bucket without its objects', false, { Resource: 'arn:aws:s3:::orders' }],
    ['all but this resource', false, { NotResource: 'arn:aws:s3:::orders/*' }],
    ['all but another resource', true, { NotResource: 'arn:aws:s3:::other/*' }],
    ['a dot, which is no wildcard', false, { Resource: 'arn:aws:s3:::orders/2026/axjson' }],
    ['a condition', true, { Condition: { StringEquals: { 'aws:PrincipalAccount': account } } }],
    ['a condition on another value', false, { Condition: { StringEquals: { 'aws:PrincipalAccount': '1' } } }],
    [
      'a condition on a key that is not there',
      false,
      { Condition: { StringEquals: { 'aws:SourceArn': 'a' } } },
    ],
    [
      '…IfExists on a key that is not there',
      true,
      { Condition: { StringEqualsIfExists: { 'aws:SourceArn': 'a' } } },
    ],
    [
      'StringNotEquals of a key that is not there',
      true,
      { Condition: { StringNotEquals: { 'aws:SourceArn': 'a' } } },
    ],
    ['Null of a key that is not there', true, { Condition: { Null: { 'aws:SourceArn': 'true' } } }],
    ['StringLike', true, { Condition: { StringLike: { 'aws:username': 'i?' } } }],
    [
      'StringEquals with a wildcard, which is none',
      false,
      { Condition: { StringEquals: { 'aws:username': 'i*' } } },
    ],
    ['Bool of a text', true, { Condition: { Bool: { 'aws:SecureTransport': 'true' } } }],
    [
      'ArnLike',
      true,
      { Condition: { ArnLike: { 'aws:SourceArn': 'arn:aws:events:*:*:rule/shop-*' } } },
      { 'aws:SourceArn': 'arn:aws:events:eu-west-1:1:rule/shop-a' },
    ],
    [
      'ArnEquals of another service',
      false,
      { Condition: { ArnEquals: { 'aws:SourceArn': 'arn:aws:events:*:*:rule/*' } } },
      { 'aws:SourceArn': 'arn:aws:sqs:eu-west-1:1:rule/a' },
    ],
    [
      'a key in another case',
      true,
      { Condition: { StringEquals: { 'AWS:sourceaccount': '1' } } },
      { 'aws:SourceAccount': '1' },
    ],
    [
      'two operators, of which one holds',
      false,
      { Condition: { StringEquals: { 'aws:username': 'it' }, Bool: { 'aws:SecureTransport': 'false' } } },
    ],
    [
      "a variable of the caller's",
      true,
      { Condition: { StringEquals: { 'aws:username': `\${aws:username}` } } },
    ],
    ['an operator that does not exist', false, { Condition: { StringSame: { 'aws:username': 'it' } } }],
  ])('%s: %s', async (_, allowed, parts, context = {}) => {
    expect(await ask([statement(parts)], context)).toBe(allowed);
  });

  test('a denial wins', async () => {
    expect(await ask([statement({})])).toBe(true);
    expect(await ask([statement({}), statement({ Effect: 'Deny', Resource: 'arn:aws:s3:::orders/*' })])).toBe(
      false,
    );
    expect(await ask([statement({}), statement({ Effect: 'Deny', Resource: 'arn:aws:s3:::*/2025/*' })])).toBe(
      true,
    );
  });

  test.each(['arn:aws:s3:::orders/*', 'arn:aws:s3:::orders/a?'])(
    'a wildcard in the requested resource is a literal character: %s',
    async (resource) => {
      expect(
        await ask([statement({ Resource: 'arn:aws:s3:::orders/ab' })], {}, 's3:GetObject', resource),
      ).toBe(false);
      expect(
        await ask(
          [
            statement({ Resource: 'arn:aws:s3:::orders/a*' }),
            statement({ Resource: 'arn:aws:s3:::orders/b' }),
          ],
          {},
          's3:GetObject',
          resource,
        ),
      ).toBe(resource.endsWith('?'));
    },
  );

  test.each([
    ['an action that does not exist', 's3:GetObjects', object],
    ['a resource that the action does not have', 's3:GetObject', 'arn:aws:sqs:eu-west-1:123456789012:orders'],
  ])('%s is refused, whatever is allowed', async (_, action, resource) => {
    expect(await ask([statement({ Action: '*' })], {}, action, resource)).toBe(false);
  });
});

describe('an unsupported policy is an error at the start:', () => {
  const aUser = (parts: Partial<PolicyStatement>) => () =>
    open(
      { Resources: {} },
      { it: [{ Statement: { Effect: 'Deny', Action: '*', Resource: '*', ...parts } }] },
    );
  test.each<[string, Partial<PolicyStatement>, string]>([
    [
      'a condition on the time',
      { Condition: { DateLessThan: { 'aws:CurrentTime': '2026-01-01' } } },
      'time conditions are not supported',
    ],
    [
      'a denial with a wildcard before the first slash',
      { Resource: 'arn:aws:execute-api:*:*:*/prod/*' },
      'a denial of arn:aws:execute-api',
    ],
  ])('%s', (_, parts, message) => {
    expect(aUser(parts)).toThrow(message);
    expect(aUser({})).not.toThrow();
  });

  test('a managed policy that is not in the template', () => {
    const Properties = { ManagedPolicyArns: ['arn:aws:iam::aws:policy/AdministratorAccess'] };
    expect(() => open({ Resources: { Role: { Type: 'AWS::IAM::Role', Properties } } })).toThrow(
      'the template has no managed policy arn:aws:iam::aws:policy/AdministratorAccess',
    );
  });
});

describe('grants', () => {
  const object = 'arn:aws:s3:::orders/a';
  const aStage = () =>
    open(
      { Resources: {} },
      {
        it: [
          {
            Statement: [
              {
                Effect: 'Allow',
                Action: ['s3:GetObject', 's3:Put*'],
                Resource: ['arn:aws:s3:::orders/*', 'arn:aws:s3:::others/*'],
              },
              { Effect: 'Deny', Action: 's3:PutObject', Resource: '*' },
            ],
          },
        ],
        other: [{ Statement: [{ Effect: 'Allow', Action: 's3:GetObject', Resource: '*' }] }],
      },
    );
  const used = ({ grantUses }: ReturnType<typeof open>) =>
    grantUses()
      .filter((grant) => grant.used)
      .map(({ holder, action, resource }) => `${holder} ${action} ${resource}`);

  test('are used individually, by what was allowed', async () => {
    const stage = aStage();
    expect(stage.grantUses()).toHaveLength(5);
    await stage.decide('it', 's3:GetObject', object);
    await stage.decide('it', 's3:GetObject', object);
    expect(used(stage)).toEqual(['it s3:GetObject arn:aws:s3:::orders/*']);
  });

  test('are not used by what was refused', async () => {
    const stage = aStage();
    expect((await stage.decide('it', 's3:PutObject', object)).allowed).toBe(false);
    expect((await stage.decide('it', 's3:GetObject', 'arn:aws:s3:::secret/a')).allowed).toBe(false);
    expect(used(stage)).toEqual([]);
  });

  test('are restricted by a session policy, which adds none', async () => {
    const Statement = [{ Effect: 'Allow', Action: 's3:GetObject', Resource: 'arn:aws:s3:::orders/*' }];
    const role = {
      Type: 'AWS::IAM::Role',
      Properties: {
        AssumeRolePolicyDocument: { Statement: [] },
        Policies: [{ PolicyName: 'a', PolicyDocument: { Statement } }],
      },
    };
    const stage = open({ Resources: { Role: role } });
    const within = (Resource: string) => ({
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Action: '*', Resource }],
    });
    const asks = [null, within('*'), within('arn:aws:s3:::orders/b')].map((session) =>
      stage.decide('Role', 's3:GetObject', object, {}, session),
    );
    expect((await Promise.all(asks)).map(({ allowed }) => allowed)).toEqual([true, true, false]);
    expect((await stage.decide('Role', 's3:PutObject', object, {}, within('*'))).allowed).toBe(false);
  });
});
