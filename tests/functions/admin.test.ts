import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { createAdminFunction, createAdminList } from '../../lib/admin-functions.ts';
import { answerJson } from '../../lib/http/answer.ts';
import { loadRegistry } from '../../lib/plugins/load-registry.ts';
import { listPlugins } from '../../lib/plugins/summaries.ts';
import { createLogger } from '../../lib/services/logger.ts';
import { aManualClock } from '../support/a-manual-clock.ts';
import { silent } from '../support/a-run.ts';

type Handler = (event: unknown, context: Context) => Promise<APIGatewayProxyStructuredResultV2>;

const context = { awsRequestId: 'lambda-1' } as Context;
const eventOf = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../events/${name}.json`, import.meta.url), 'utf8'));

/** The function as Lambda has it; its log goes nowhere. */
const handlerOf = async (file: string): Promise<Handler> => {
  process.env.LOG_LEVEL = 'error';
  const { handler } = await import(`../../functions/admin/${file}.ts`);
  return handler;
};

const call = async (file: string, event: unknown) => {
  const result = await (await handlerOf(file))(event, context);
  return { result, status: result.statusCode, body: JSON.parse(result.body ?? 'null') };
};

describe('the admin functions, on their sample events', () => {
  test('plugins', async () => {
    const { status, body } = await call('plugins', eventOf('adminPlugins'));
    expect(status).toBe(200);
    expect(body).toMatchObject({ count: 4, timestamp: expect.stringMatching(/Z$/) });
    expect(body.plugins.map(({ id }: { id: string }) => id)).toEqual([
      'webhookTrigger',
      'manualTrigger',
      'httpRequest',
      'flow',
    ]);
  });

  test.each([
    ['triggers', 'adminTriggers', ['webhookTrigger', 'manualTrigger']],
    [
      'actions',
      'adminActions',
      ['httpRequest', 'set', 'if', 'switch', 'merge', 'filter', 'respondToWebhook'],
    ],
    ['providers', 'adminProviders', ['flow']],
  ])('%s', async (file, event, ids) => {
    const { status, body } = await call(file, eventOf(event));
    expect(status).toBe(200);
    expect(body.map(({ id }: { id: string }) => id)).toEqual(ids);
  });

  test('health', async () => {
    const { status, body } = await call('health', eventOf('adminHealth'));
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'healthy', summary: { total: 4, healthy: 4 } });
    expect(Object.keys(body.plugins)).toEqual(['webhookTrigger', 'manualTrigger', 'httpRequest', 'flow']);
  });

  test('debug says what runs, and nothing of the environment', async () => {
    process.env.CANARY = 'canary-value';
    const { status, result, body } = await call('debug', eventOf('adminDebug'));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      providerCount: 1,
      triggerCount: 2,
      actionCount: 7,
      loadErrors: [],
      runtime: { node: process.version },
    });
    expect(result.body).not.toContain('canary');
  });
});

describe('the methods', () => {
  const withMethod = (method: string) => {
    const event = eventOf('adminDebug');
    event.requestContext.http.method = method;
    return event;
  };

  test.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'get', ''])(
    '%s is refused, with Allow',
    async (method) => {
      const { result, status, body } = await call('debug', withMethod(method));
      expect(status).toBe(405);
      expect(result.headers?.allow).toBe('GET');
      expect(body.type).toBe('urn:hookloom:problem:method-not-allowed');
    },
  );

  test('HEAD is GET without the body', async () => {
    const { result } = await call('debug', withMethod('HEAD'));
    expect(result.statusCode).toBe(200);
    expect(result).not.toHaveProperty('body');
  });
});

describe('faults', () => {
  const parts = { logger: silent, clock: aManualClock() };
  const event = eventOf('adminPlugins');

  test('a registry that can not be built is a 500 without its reason, which the log has', async () => {
    const lines: string[] = [];
    const logger = createLogger({ write: (line) => lines.push(line) });
    const loadFailing = () => Promise.reject(new Error('secret path'));
    const handler = createAdminList({ ...parts, logger, loadRegistry: loadFailing }, listPlugins) as Handler;
    const result = await handler(event, context);
    expect(result.statusCode).toBe(500);
    expect(result.body).not.toContain('secret path');
    expect(lines[0]).toContain('secret path');
  });

  test('a function may answer with a status of its own', async () => {
    const load = () => loadRegistry([], { logger: silent, clock: parts.clock });
    const handler = createAdminFunction({ ...parts, loadRegistry: load }, () =>
      answerJson(503, { status: 'unhealthy' }),
    ) as Handler;
    expect((await handler(event, context)).statusCode).toBe(503);
  });
});
