import { expect, test } from '@jest/globals';
import { grantsOf } from '../support/role-grants.ts';
import { runCommand } from '../support/run-command.ts';

interface Resource {
  readonly Properties: Record<string, unknown>;
}

test('only functions that end executions may publish on the configured event bus', async () => {
  const options = ['--format', 'json', '--path', 'resources.Resources', '--param', 'eventBus=shop'];
  const { stdout } = await runCommand('serverless', ['print', ...options]);
  const roles = Object.entries<Resource>(JSON.parse(stdout)).filter(([name]) => name.endsWith('Role'));
  const publishers = roles.filter(([, { Properties }]) =>
    grantsOf(Properties).includes('events:PutEvents event-bus/shop'),
  );
  expect(publishers.map(([name]) => name).sort()).toEqual([
    'AdminCancelExecutionRole',
    'AdminExecutionRole',
    'RunDurableRole',
    'RunExpressRole',
    'SweepRole',
    'WebhookRole',
  ]);
});
