import type { Logger } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import type { Context } from 'aws-lambda';
import { readConfig } from '../../lib/app/config.ts';
import { openRegistry, serve } from '../../lib/app/sandbox.ts';
import type { Pong } from '../../lib/health/ping.ts';
import { installedPlugins } from '../../nodes/installed.ts';
import { silent } from '../support/a-run.ts';
import { anEvent } from '../support/an-api-event.ts';

const config = readConfig({ DISABLED_PLUGINS: 'manualTrigger,unknown' });

test('the registry is built once, from the installed plugins without the disabled ones', async () => {
  const load = openRegistry(installedPlugins, config, silent);
  const registry = await load();
  expect(await load()).toBe(registry);
  expect(registry.findNodeType('webhookTrigger')).not.toBeNull();
  expect(registry.findNodeType('manualTrigger')).toBeNull();
});

test('the next request retries a failed build', async () => {
  let failures = 1;
  // An unknown id is logged while the registry is built: there the first build breaks.
  const logger: Logger = {
    ...silent,
    warn: () => {
      if (failures-- > 0) throw new Error('broken log');
    },
  };
  const load = openRegistry(installedPlugins, config, logger);
  await expect(load()).rejects.toThrow('broken log');
  expect((await load()).findNodeType('webhookTrigger')).not.toBeNull();
});

describe('a ping', () => {
  const context = { functionName: 'hookloom-test-webhook' } as Context;
  const handled: unknown[] = [];
  const handler = serve(async (event: unknown) => {
    handled.push(event);
    return 'handled';
  });

  test('is answered instead of the handler, by the clock of the function', async () => {
    const before = Date.now();
    const answer = await handler({ hookloom: 'ping' }, context);
    expect(answer).toMatchObject({ hookloom: 'pong', function: 'hookloom-test-webhook' });
    expect((answer as unknown as Pong).time).toBeGreaterThanOrEqual(before);
    expect(handled).toEqual([]);
  });

  test.each([
    ['a request whose body is one', { ...anEvent({ method: 'POST' }), body: '{"hookloom":"ping"}' }],
    ['a request with one in its query', { ...anEvent(), queryStringParameters: { hookloom: 'ping' } }],
    ['a request with one in its headers', { ...anEvent(), headers: { hookloom: 'ping' } }],
    ['an event of a trigger', { hookloom: { workflowId: 'ping' }, event: { hookloom: 'ping' } }],
    ['messages', { Records: [{ body: '{"hookloom":"ping"}' }] }],
    ['an execution', { executionId: 'ping' }],
    ['nothing', null],
  ])('is never %s', async (_case, event) => {
    expect(await handler(event, context)).toBe('handled');
    expect(handled.at(-1)).toBe(event);
  });
});
