import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import * as v from 'valibot';
import { createLogger } from '../../lib/adapters/runtime/logger.ts';
import { createAdminList } from '../../lib/app/admin-list.ts';
import { debugRoute } from '../../lib/app/debug.ts';
import { createHealthRoutes, healthRoute } from '../../lib/app/health.ts';
import {
  listActionsRoute,
  listPluginsRoute,
  listProvidersRoute,
  listTriggersRoute,
} from '../../lib/app/plugins.ts';
import type { AdminParts } from '../../lib/app/ports.ts';
import type { ApiRoute } from '../../lib/http/api-route.ts';
import { loadRegistry } from '../../lib/plugins/load-registry.ts';
import {
  describeRegistry,
  type ListedPlugins,
  listActions,
  listPlugins,
  listProviders,
  listTriggers,
} from '../../lib/plugins/summaries.ts';
import {
  type EmbeddedDynamoDb,
  startEmbeddedDynamoDb,
} from '../../packages/local/database/embedded-dynamodb.ts';
import { aManualClock } from '../support/a-manual-clock.ts';
import { aPingedLambda } from '../support/a-pinged-lambda.ts';
import { aProvider, installedLegacy, installedUnified } from '../support/a-plugin.ts';
import { silent } from '../support/a-run.ts';
import { aVirtualClock } from '../support/a-virtual-clock.ts';
import { anEvent } from '../support/an-api-event.ts';
import { anInspection } from '../support/an-inspection.ts';
import { checked } from '../support/checked-answers.ts';
import { environmentOf } from '../support/function-environment.ts';
import { installedNames } from '../support/installed-names.ts';

type Handler = (event: unknown, context: Context) => Promise<APIGatewayProxyStructuredResultV2>;

const context = { awsRequestId: 'lambda-1' } as Context;
const eventOf = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../events/${name}.json`, import.meta.url), 'utf8'));

let database: EmbeddedDynamoDb;
let folder: string;
let lambda: Awaited<ReturnType<typeof aPingedLambda>>;

beforeAll(async () => {
  database = await startEmbeddedDynamoDb('test');
  lambda = await aPingedLambda();
  folder = mkdtempSync(join(tmpdir(), 'hookloom-admin-'));
  const values = {
    DYNAMODB_ENDPOINT: database.endpoint,
    AWS_ENDPOINT_URL_LAMBDA: lambda.endpoint,
    BLOB_FOLDER: folder,
  };
  Object.assign(process.env, environmentOf('adminHealth', values));
});

afterAll(async () => {
  lambda.close();
  await database.stop();
  rmSync(folder, { recursive: true });
});

/** The function as Lambda has it; its log goes nowhere. */
const handlerOf = async (file: string): Promise<Handler> => {
  const { handler } = await import(`../../functions/admin/${file}.ts`);
  return handler;
};

const call = async (file: string, event: unknown) => {
  const result = await checked(await handlerOf(file))(event as never, context);
  return { result, status: result.statusCode, body: JSON.parse(result.body ?? 'null') };
};

const { plugins, triggers, actions, providers } = installedNames;

describe('the admin functions, on their sample events', () => {
  test('plugins', async () => {
    const { status, body } = await call('plugins', eventOf('adminPlugins'));
    expect(status).toBe(200);
    expect(body).toMatchObject({ count: plugins.length, timestamp: expect.stringMatching(/Z$/) });
    expect(body.plugins.map(({ id }: { id: string }) => id)).toEqual(plugins);
  });

  test.each([
    ['triggers', 'adminTriggers', triggers],
    ['actions', 'adminActions', actions],
    ['providers', 'adminProviders', providers],
  ])('%s', async (file, event, ids) => {
    const { status, body } = await call(file, eventOf(event));
    expect(status).toBe(200);
    expect(body.map(({ id }: { id: string }) => id)).toEqual(ids);
  });

  test('health', async () => {
    const { status, body } = await call('health', eventOf('adminHealth'));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 'healthy',
      summary: { total: plugins.length, healthy: plugins.length },
    });
    expect(Object.keys(body.plugins)).toEqual(plugins);
  });

  test.each(['/api/admin/debug', '/api/admin/plugins/debug'])(
    'debug on %s says what runs, but nothing of the environment',
    async (path) => {
      process.env.CANARY = 'canary-value';
      const event = { ...eventOf('adminDebug'), routeKey: `GET ${path}`, rawPath: path };
      const { status, result, body } = await call('debug', event);
      expect(status).toBe(200);
      expect(body).toMatchObject({
        providerCount: providers.length,
        triggerCount: triggers.length,
        actionCount: actions.length,
        loadErrors: [],
        runtime: { node: process.version },
      });
      expect(result.body).not.toContain('canary');
    },
  );
});

describe('the methods', () => {
  const lists = ['plugins', 'triggers', 'actions', 'providers', 'health', 'debug'];
  const functions = [...lists, 'plugin'];
  const pathOf = (file: string) =>
    ({ plugins: '/api/admin/plugins', plugin: '/api/admin/plugins/{id}' })[file] ??
    `/api/admin/plugins/${file}`;
  const methods = ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'get', ''];

  test.each(functions.flatMap((file) => methods.map((method) => [file, method] as const)))(
    '%s refuses "%s", with Allow',
    async (file, method) => {
      const { result, status, body } = await call(file, anEvent({ method, path: pathOf(file) }));
      expect(status).toBe(405);
      expect(result.headers?.allow).toBe('GET, HEAD');
      expect(body.type).toBe('urn:hookloom:problem:method-not-allowed');
    },
  );

  test.each(lists)('HEAD of %s is GET without the body', async (file) => {
    const { result } = await call(file, anEvent({ method: 'HEAD', path: pathOf(file) }));
    expect(result.statusCode).toBe(200);
    expect(result).not.toHaveProperty('body');
  });
});

const healthOf = (parts: AdminParts, pluginDeadlineMs = 2_000) =>
  createHealthRoutes({
    ...parts,
    inspect: anInspection(parts.clock),
    pluginDeadlineMs,
    openTests: () => Promise.reject(new Error('unused')),
    openStored: () => Promise.reject(new Error('unused')),
  });

describe('broken plugins', () => {
  const sound = installedUnified(aProvider());
  const broken = [
    {
      ...installedUnified(null, 'thrower'),
      load: () => Promise.reject(new Error('no vendor\n    at load (secret.ts:1:2)')),
    },
    installedUnified(aProvider({ id: 'odd', dependencies: [null] as never }), 'odd'),
    installedLegacy({ nodeType: 'deaf' }, { id: 'deaf', kind: 'trigger' }),
    installedLegacy({ nodeType: 'mute' }, { id: 'mute', kind: 'action' }),
  ];
  const serve = async (routeKey: string, create: (parts: AdminParts) => unknown) => {
    const { clock, run } = aVirtualClock();
    const registry = await run(loadRegistry([...broken, sound], { logger: silent, clock }));
    const handler = create({ logger: silent, clock, loadRegistry: async () => registry }) as Handler;
    const result = await run(checked(handler)(anEvent({ path: routeKey.replace('GET ', '') }), context));
    return { text: result.body ?? '', status: result.statusCode, body: JSON.parse(result.body ?? 'null') };
  };
  const where = { node: 'v24', architecture: 'arm64', region: 'local', memoryMb: null };
  const build = { version: '1.0.0', stage: 'test' };

  test.each<[ApiRoute, (registry: ListedPlugins, now: number) => unknown, string[]]>([
    [listPluginsRoute, listPlugins, ['thrower', 'odd', 'deaf', 'mute']],
    [listTriggersRoute, listTriggers, ['deaf']],
    [listActionsRoute, listActions, ['mute']],
    [listProvidersRoute, listProviders, ['thrower', 'odd']],
    [
      debugRoute,
      (registry, now) => describeRegistry(registry, { now, runtime: where, build }),
      ['thrower', 'odd', 'deaf', 'mute'],
    ],
  ])('$route shows them with their reasons, beside the valid ones', async (route, list, ids) => {
    const { status, body, text } = await serve(route.route, (parts) =>
      createAdminList(parts, [{ ...route, answers: { 200: v.unknown() } }], list),
    );
    expect(status).toBe(200);
    const rows: { id: string; error?: string }[] = body.plugins ?? body.loadErrors ?? body;
    expect(rows.filter(({ error }) => error !== undefined).map(({ id }) => id)).toEqual(ids);
    for (const { error } of rows) expect(error).not.toBe('');
    expect(text).toMatch(/greet|deaf/);
    expect(text).not.toMatch(/ {4}at |\.ts:\d/);
  });

  test('health has a row for each, and valid ones stay healthy', async () => {
    const { status, body, text } = await serve(healthRoute.route, healthOf);
    expect(status).toBe(200);
    expect(body.status).toBe('degraded');
    expect(body.summary).toEqual({ total: 5, healthy: 1, warning: 0, unhealthy: 4, disabled: 0 });
    expect(body.plugins.greeter.status).toBe('healthy');
    expect(body.plugins.thrower.message).toBe('no vendor');
    expect(text).not.toMatch(/ {4}at |\.ts:\d/);
  });
});

describe('failures', () => {
  const parts = { logger: silent, clock: aManualClock() };
  const event = eventOf('adminPlugins');
  const healthEvent = eventOf('adminHealth');
  const loadFailing = () => Promise.reject(new Error('secret path'));
  const aLog = () => {
    const lines: string[] = [];
    return { lines, logger: createLogger({ write: (line) => lines.push(line) }) };
  };

  test('a registry that cannot be built is a 500 without its reason, which is logged', async () => {
    const { lines, logger } = aLog();
    const handler = createAdminList(
      { ...parts, logger, loadRegistry: loadFailing },
      [listPluginsRoute],
      listPlugins,
    ) as Handler;
    const result = await handler(event, context);
    expect(result.statusCode).toBe(500);
    expect(result.body).not.toContain('secret path');
    expect(lines[0]).toContain('secret path');
  });

  test('health without a registry reports unhealthy', async () => {
    const { lines, logger } = aLog();
    const handler = healthOf({ ...parts, logger, loadRegistry: loadFailing }) as Handler;
    const result = await handler(healthEvent, context);
    expect(result.statusCode).toBe(503);
    expect(JSON.parse(result.body ?? '')).toEqual({
      status: 'unhealthy',
      plugins: {},
      summary: { total: 0, healthy: 0, warning: 0, unhealthy: 0, disabled: 0 },
      generatedAt: '2023-11-14T22:13:20.000Z',
    });
    expect(lines[0]).toContain('secret path');
  });

  test('health without any working plugin is a 503 with the report', async () => {
    const { clock, run } = aVirtualClock();
    const registry = await run(loadRegistry([installedUnified(null)], { logger: silent, clock }));
    const handler = healthOf({ logger: silent, clock, loadRegistry: async () => registry }, 2_000);
    const result = await run((handler as Handler)(healthEvent, context));
    expect(result.statusCode).toBe(503);
    expect(JSON.parse(result.body ?? '').summary).toMatchObject({ total: 1, unhealthy: 1 });
  });

  test.each([
    ['when the checks may take longer than the function', 60_000, 10_000, 9_500],
    ['and not before its deadline when there is time', 2_000, 10_000, 2_000],
    ['when the time is nearly over', 2_000, 100, 0],
  ])('health reports in time %s', async (_case, deadlineMs, remainingMs, durationMs) => {
    const { clock, run } = aVirtualClock();
    const hanging = installedUnified(aProvider({ healthCheck: () => new Promise(() => {}) }));
    const registry = await run(loadRegistry([hanging], { logger: silent, clock }));
    const handler = healthOf(
      { logger: silent, clock, loadRegistry: async () => registry },
      deadlineMs,
    ) as Handler;
    const limited = { ...context, getRemainingTimeInMillis: () => remainingMs } as Context;
    const result = await run(handler(healthEvent, limited));
    expect(JSON.parse(result.body ?? '').plugins.greeter).toMatchObject({
      status: 'unhealthy',
      message: `no result within ${durationMs} ms`,
      durationMs,
    });
  });
});
