import { describe, expect, test } from '@jest/globals';
import type { Context } from 'aws-lambda';
import fc from 'fast-check';
import { createAdminList } from '../../lib/app/admin-list.ts';
import { createListApprovals } from '../../lib/app/approvals.ts';
import { createCallbackFunction } from '../../lib/app/callback-handler.ts';
import { routes } from '../../lib/app/describe-api.ts';
import { createCancelExecution, createListExecutions } from '../../lib/app/executions.ts';
import { createHealthRoutes } from '../../lib/app/health.ts';
import { createShowPlugin, listPluginsRoute } from '../../lib/app/plugins.ts';
import { createShowRequests } from '../../lib/app/requests.ts';
import { createHandler } from '../../lib/http/create-handler.ts';
import { loadRegistry } from '../../lib/plugins/load-registry.ts';
import { listPlugins } from '../../lib/plugins/summaries.ts';
import { answerJson } from '../../lib/shared/answer.ts';
import { installedPlugins } from '../../nodes/installed.ts';
import { aManualClock } from '../support/a-manual-clock.ts';
import { aRecordingLogger } from '../support/a-recording-logger.ts';
import { aWebhookService } from '../support/a-webhook-service.ts';
import { anInspection } from '../support/an-inspection.ts';
import { cases } from '../support/deep.ts';
import {
  inMemoryDeliveryStore,
  inMemoryExecutionStore,
  inMemoryRequestStore,
  inMemoryWorkflowStore,
} from '../support/in-memory-stores.ts';

const clock = aManualClock();
const { logger } = aRecordingLogger();
const executions = inMemoryExecutionStore();
const registry = await loadRegistry(installedPlugins, { logger, clock });
const admin = { logger, clock, loadRegistry: async () => registry };
const durableService = {
  stop: () => Promise.reject(new Error('unused')),
  answerCallback: () => Promise.reject(new Error('unused')),
} as never;
const stores = {
  logger,
  clock,
  executions,
  workflows: inMemoryWorkflowStore(),
  deliveries: inMemoryDeliveryStore(),
  requests: inMemoryRequestStore(),
  callbacks: executions.callbacks,
  durableService,
  events: { publish: async () => {} },
  usesOutbox: false,
  holdsUnlisted: async () => false,
};

type Handler = (event: never, context: Context) => Promise<unknown>;

const handlers: Readonly<Record<string, Handler>> = {
  'any function': createHandler(admin, async () => answerJson(200, {})),
  'a list of plugins': createAdminList(admin, [listPluginsRoute], listPlugins),
  'one plugin': createShowPlugin(admin),
  health: createHealthRoutes({
    ...admin,
    inspect: anInspection(clock),
    pluginDeadlineMs: 1_000,
    openTests: () => Promise.reject(new Error('unused')),
    openStored: () => Promise.reject(new Error('unused')),
  }),
  'the list of executions': createListExecutions(stores),
  'the list of requests': createShowRequests(stores),
  'the list of approvals': createListApprovals(stores),
  cancel: createCancelExecution(stores),
  callback: createCallbackFunction(stores),
  webhook: (await aWebhookService()).call,
};

/** Neither texts nor convertible to one. */
const unprintable = fc.constantFrom<unknown>(
  Object.create(null),
  { toString: 1 },
  { toString: null, valueOf: null },
  [{ toString: 1 }],
  Symbol('symbol'),
  JSON.parse('{"__proto__": {"toString": 1}}'),
);
const odd = fc.oneof(unprintable, fc.anything({ withNullPrototype: true, withBigInt: true }));

/** Objects with the usual fields, any of which may be missing or be anything. */
const withFields = (names: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 1, arbitrary: odd }, { weight: 4, arbitrary: fc.record(names, { requiredKeys: [] }) });

const anyContext = withFields({
  http: withFields({ method: fc.oneof(odd, fc.constantFrom('GET', 'POST')), sourceIp: odd, path: odd }),
  requestId: odd,
  routeKey: odd,
  timeEpoch: odd,
});

const anyEvent = withFields({
  routeKey: fc.oneof(odd, fc.constantFrom(...routes.map(({ route }) => route.route))),
  requestContext: anyContext,
  headers: odd,
  cookies: odd,
  pathParameters: withFields({ token: odd, workflowId: odd, path: odd, executionId: odd, id: odd }),
  queryStringParameters: odd,
  rawQueryString: odd,
  rawPath: odd,
  body: odd,
  isBase64Encoded: odd,
});

describe.each(Object.entries(handlers))('%s', (_name, handler) => {
  test('handles any event', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyEvent,
        fc.record({ awsRequestId: odd }, { requiredKeys: [] }),
        async (event, context) => {
          expect(await handler(event as never, context as Context)).toMatchObject({
            statusCode: expect.any(Number),
          });
        },
      ),
      { numRuns: cases(100, 300) },
    );
  });

  test.each<[string, unknown]>([
    ['a method without a prototype', { http: { method: Object.create(null) } }],
    ['a route that cannot become a text', { http: { method: 'GET' }, routeKey: { toString: 1 } }],
    ['a request id that cannot become a text', { http: { method: 'GET' }, requestId: { toString: 1 } }],
  ])('handles an event with %s', async (_case, requestContext) => {
    expect(await handler({ requestContext } as never, {} as Context)).toMatchObject({
      statusCode: expect.any(Number),
    });
  });
});
