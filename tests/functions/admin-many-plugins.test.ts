import { expect, test } from '@jest/globals';
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { createAdminList } from '../../lib/app/admin-list.ts';
import { createHealthRoutes } from '../../lib/app/health.ts';
import {
  createShowPlugin,
  listActionsRoute,
  listPluginsRoute,
  showPluginRoute,
} from '../../lib/app/plugins.ts';
import type { ApiRoute } from '../../lib/http/api-route.ts';
import { loadRegistry } from '../../lib/plugins/load-registry.ts';
import { listActions, listPlugins } from '../../lib/plugins/summaries.ts';
import { aManualClock } from '../support/a-manual-clock.ts';
import { aHandle, aProvider, installedUnified } from '../support/a-plugin.ts';
import { silent } from '../support/a-run.ts';
import { anEvent } from '../support/an-api-event.ts';
import { anInspection } from '../support/an-inspection.ts';

type Handler = (event: unknown, context: Context) => Promise<APIGatewayProxyStructuredResultV2>;

const COUNT = 60;
const ids = Array.from({ length: COUNT }, (_, at) => `plugin${at}`);

test('60 plugins are imported and initialised once, however often they are listed', async () => {
  const calls = { load: 0, init: 0 };
  const installed = ids.map((id) => {
    const plugin = aProvider({
      id,
      handles: [aHandle({ id: `${id}.send` }), aHandle({ id: `${id}.read` })],
      init: () => {
        calls.init += 1;
      },
    });
    return {
      ...installedUnified(plugin, id),
      load: async () => {
        calls.load += 1;
        return { default: plugin };
      },
    };
  });
  const clock = aManualClock();
  const registry = await loadRegistry(installed, { logger: silent, clock });
  const parts = { logger: silent, clock, loadRegistry: async () => registry };
  const handlers = [
    [listPluginsRoute, createAdminList(parts, [listPluginsRoute], listPlugins)],
    [listActionsRoute, createAdminList(parts, [listActionsRoute], listActions)],
    [showPluginRoute, createShowPlugin(parts)],
  ] as unknown as [ApiRoute, Handler][];

  for (let round = 0; round < 3; round++) {
    for (const [{ route: routeKey }, handler] of handlers) {
      const event = {
        ...anEvent({ path: routeKey.replace('GET ', '') }),
        routeKey,
        pathParameters: { id: 'plugin59' },
      };
      expect((await handler(event, {} as Context)).statusCode).toBe(200);
    }
  }
  expect(calls).toEqual({ load: COUNT, init: COUNT });

  const openTests = () => Promise.reject(new Error('unused'));
  const healthParts = {
    ...parts,
    inspect: anInspection(clock),
    pluginDeadlineMs: 2_000,
    openTests,
    openStored: openTests,
  };
  const event = anEvent({ path: '/api/admin/plugins/health' });
  const health = (await createHealthRoutes(healthParts)(event, {} as Context)) as { body?: string };
  expect(JSON.parse(health.body ?? '').summary).toMatchObject({ total: COUNT, healthy: COUNT });
  expect(calls).toMatchObject({ load: COUNT, init: COUNT });
});
