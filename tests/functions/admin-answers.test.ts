import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { createAdminList } from '../../lib/app/admin-list.ts';
import { listPluginsRoute } from '../../lib/app/plugins.ts';
import { loadRegistry } from '../../lib/plugins/load-registry.ts';
import { listPlugins } from '../../lib/plugins/summaries.ts';
import { aManualClock } from '../support/a-manual-clock.ts';
import { aProvider, installedUnified } from '../support/a-plugin.ts';
import { aRecordingLogger } from '../support/a-recording-logger.ts';
import { silent } from '../support/a-run.ts';
import { anEvent } from '../support/an-api-event.ts';
import { environmentOf } from '../support/function-environment.ts';
import { installedNames } from '../support/installed-names.ts';

type Handler = (event: unknown, context: Context) => Promise<APIGatewayProxyStructuredResultV2>;

const context = { awsRequestId: 'lambda-1' } as Context;
/** The sample event of a function. */
const eventOf = (file: string) => {
  const name = `admin${file[0]?.toUpperCase()}${file.slice(1)}`;
  return JSON.parse(readFileSync(new URL(`../../events/${name}.json`, import.meta.url), 'utf8'));
};

const files = ['plugins', 'triggers', 'actions', 'providers', 'health', 'debug'];
const handlers = new Map<string, Handler>();

/** The environment of a deployed function, less what debug is meant to say. */
const environment = {
  AWS_ACCESS_KEY_ID: 'canary-key-id',
  AWS_SECRET_ACCESS_KEY: 'canary-secret-key',
  AWS_SESSION_TOKEN: 'canary-token',
  AWS_LAMBDA_FUNCTION_NAME: 'canary-function',
  DYNAMODB_ENDPOINT: 'http://canary-endpoint:8000',
  OUTBOUND_ALLOW: 'canary.internal',
};

beforeAll(async () => {
  Object.assign(process.env, environmentOf('adminHealth', {}, 'canary-prefix'), environment, {
    LOG_LEVEL: 'error',
    STAGE: 'prod',
    SERVICE_VERSION: '4.5.6',
    AWS_REGION: 'eu-central-1',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
    DISABLED_PLUGINS: 'eventTrigger',
  });
  for (const file of files) {
    const { handler } = await import(`../../functions/admin/${file}.ts`);
    handlers.set(file, handler);
  }
});

const call = async (file: string, { event }: { readonly event: unknown } = { event: eventOf(file) }) => {
  const result = await handlers.get(file)?.(event, context);
  return { result, body: JSON.parse(result?.body ?? 'null') };
};

describe('an admin answer', () => {
  test.each(files)('of %s contains nothing of the environment', async (file) => {
    const { result } = await call(file);
    expect(result?.statusCode).toBe(200);
    expect(JSON.stringify(result)).not.toContain('canary');
  });

  const lists = files.filter((file) => file !== 'health');
  test.each(lists)('of %s is not cached', async (file) => {
    const { result } = await call(file);
    expect(result?.headers).toEqual({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
  });

  test.each(files)('of %s to something that is no request is 405 with Allow', async (file) => {
    for (const event of [undefined, null, 'GET', {}, { requestContext: null }]) {
      const { result } = await call(file, { event });
      expect(result?.statusCode).toBe(405);
      expect(result?.headers?.allow).toMatch(/^GET, HEAD/);
    }
  });

  test('of debug says where it runs and what was built, and nothing else', async () => {
    const { body } = await call('debug');
    expect(body.runtime).toEqual({
      node: process.version,
      architecture: process.arch,
      region: 'eu-central-1',
      memoryMb: 512,
    });
    expect(body.build).toEqual({ version: '4.5.6', stage: 'prod' });
    expect(Object.keys(body).sort()).toEqual(
      ['providerCount', 'triggerCount', 'actionCount', 'serverTime', 'runtime', 'build', 'nodeTypes']
        .concat('loadErrors')
        .sort(),
    );
  });
});

describe('a disabled plugin', () => {
  test('is listed with the reason and not loaded', async () => {
    for (const list of [(await call('plugins')).body.plugins, (await call('triggers')).body]) {
      expect(list.find(({ id }: { id: string }) => id === 'eventTrigger')).toMatchObject({
        type: 'TRIGGER',
        loaded: false,
        error: 'it is disabled',
      });
    }
  });

  test('is not a load error, and its node type is not among the usable ones', async () => {
    const { body } = await call('debug');
    expect(body).toMatchObject({ triggerCount: installedNames.triggers.length - 1, loadErrors: [] });
    expect(body.nodeTypes).not.toContain('eventTrigger');
  });

  test('does not affect the health of the service', async () => {
    const { result, body } = await call('health');
    const count = installedNames.plugins.length;
    expect(result?.statusCode).toBe(200);
    expect(body).toMatchObject({
      status: 'degraded', // nothing answers at the address of the store
      checks: { store: { status: 'unhealthy' } },
      summary: { total: count, healthy: count - 1, warning: 0, unhealthy: 0, disabled: 1 },
      plugins: { eventTrigger: { status: 'disabled', message: 'it is disabled' } },
    });
  });
});

test('a request is one line in the log, without headers and body', async () => {
  const clock = aManualClock();
  const { logger, entries } = aRecordingLogger();
  const registry = await loadRegistry([installedUnified(aProvider())], { logger: silent, clock });
  const parts = { logger, clock, loadRegistry: async () => registry };
  const handler = createAdminList(parts, [listPluginsRoute], listPlugins);
  const headers = { authorization: 'AWS4-HMAC-SHA256 Credential=secret', cookie: 'secret' };
  await (handler as Handler)(anEvent({ headers, body: 'secret' }), context);
  await (handler as Handler)(anEvent({ headers, body: 'secret', method: 'POST' }), context);
  const fields = { requestId: 'request-1', durationMs: 0 };
  expect(entries).toEqual([
    {
      level: 'info',
      message: 'request',
      fields: { ...fields, route: 'GET /api/admin/plugins', status: 200 },
    },
    {
      level: 'info',
      message: 'request',
      fields: { ...fields, route: 'POST /api/admin/plugins', status: 405, code: 'METHOD_NOT_ALLOWED' },
    },
  ]);
});
