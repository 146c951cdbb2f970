import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@hookloom/plugin-kit';
import { expect, test } from '@jest/globals';
import { useCommandLine } from '../../../tests/support/a-command-line.ts';
import { projectRoot } from '../../../tests/support/run-command.ts';

const openCommandLine = useCommandLine();
const workflows = join(projectRoot, 'workflows');

/** A workflow of these nodes behind a trigger. */
const aWorkflow = (...nodes: readonly JsonObject[]) => ({
  id: 'orders',
  name: 'Orders',
  enabled: true,
  nodes: [{ id: 'start', type: 'manualTrigger' }, ...nodes.map((node) => ({ type: 'aws', ...node }))],
  connections: nodes.map(({ id }) => ({ sourceNodeId: 'start', targetNodeId: id })),
});

const store = {
  id: 'store',
  parameters: {
    service: 'dynamodb',
    operation: 'putItem',
    input: { TableName: 'orders', Item: { id: { S: '{{ id }}' } } },
  },
};
const report = {
  id: 'report',
  credentialId: 'shop',
  parameters: {
    service: 's3',
    operation: 'GetObject',
    input: { Bucket: 'shop', Key: 'reports/{{ month }}.csv' },
  },
};
const table = `arn:\${AWS::Partition}:dynamodb:\${AWS::Region}:\${AWS::AccountId}:table/orders`;
const objects = `arn:\${AWS::Partition}:s3:::shop/reports/*.csv`;

test('prints rows for serverless.yml, and separately those for roles of credentials', async () => {
  const { call, file } = await openCommandLine();
  const { code, out, err } = await call([
    'workflow',
    'permissions',
    file('orders.json', aWorkflow(store, report)),
  ]);
  expect(code).toBe(0);
  expect(out.split('\n')).toEqual([
    `- { "Effect": "Allow", "Action": [ "dynamodb:PutItem" ], "Resource": { "Fn::Sub": "${table}" } }`,
    '# for the role of the credential shop',
    `- { "Effect": "Allow", "Action": [ "s3:GetObject" ], "Resource": { "Fn::Sub": "${objects}" } }`,
  ]);
  expect(err).toBe(
    `orders: the node "report": s3 GetObject does not name its full resource: narrow s3:GetObject on ${objects}`,
  );
});

test('prints JSON', async () => {
  const { call, file } = await openCommandLine();
  const input = { TableName: 'orders', Key: { id: { S: '{{ id }}' } } };
  const update = { id: 'update', parameters: { ...store.parameters, operation: 'UpdateItem', input } };
  const { out } = await call([
    'workflow',
    'permissions',
    '--json',
    file('orders.json', aWorkflow(store, update)),
  ]);
  expect(JSON.parse(out)).toEqual({
    statements: [
      {
        Effect: 'Allow',
        Action: ['dynamodb:PutItem', 'dynamodb:UpdateItem'],
        Resource: { 'Fn::Sub': table },
      },
    ],
    roles: {},
  });
});

test('says for which nodes only a run determines the operation, and skips disabled ones', async () => {
  const { call, file } = await openCommandLine();
  const any = { id: 'any', parameters: { service: 's3', operation: '{{ operation }}' } };
  const { code, out, err } = await call([
    'workflow',
    'permissions',
    file('orders.json', aWorkflow(any, { ...store, disabled: true })),
  ]);
  expect({ code, out }).toEqual({ code: 0, out: '' });
  expect(err).toContain('orders: the node "any": its operation (s3 *) is known only at run time');
});

test('names the resources for the samples that call AWS, and nothing for the others', async () => {
  const { call } = await openCommandLine();
  const samples = readdirSync(workflows).map((name) => join(workflows, name));
  const { code, out, err } = await call(['workflow', 'permissions', '--json', ...samples]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(JSON.parse(out)).toEqual({
    roles: {},
    statements: [
      {
        Effect: 'Allow',
        Action: ['s3:GetObject'],
        Resource: { 'Fn::Sub': `arn:\${AWS::Partition}:s3:::imports/orders.csv` },
      },
      {
        Effect: 'Allow',
        Action: ['dynamodb:PutItem'],
        Resource: {
          'Fn::Sub': `arn:\${AWS::Partition}:dynamodb:\${AWS::Region}:\${AWS::AccountId}:table/sample-orders`,
        },
      },
    ],
  });
});
