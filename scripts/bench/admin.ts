import { readFileSync } from 'node:fs';
import type { PluginHandle, PluginProvider } from '@hookloom/plugin-kit';
import { createLogger } from '../../lib/adapters/runtime/logger.ts';
import { systemClock } from '../../lib/adapters/runtime/system-clock.ts';
import { debugRoute, healthRoute } from '../../lib/app/api/health.ts';
import {
  listActionsRoute,
  listPluginsRoute,
  listProvidersRoute,
  listTriggersRoute,
  showPluginRoute,
} from '../../lib/app/api/plugins.ts';
import { createHealthRoutes } from '../../lib/app/health-handler.ts';
import { createAdminList, createShowPlugin } from '../../lib/app/plugins-handlers.ts';
import type { Inspect } from '../../lib/health/inspect.ts';
import { type InstalledPlugin, unified } from '../../lib/plugins/installed-plugin.ts';
import { loadRegistry } from '../../lib/plugins/load-registry.ts';
import {
  describeRegistry,
  listActions,
  listPlugins,
  listProviders,
  listTriggers,
} from '../../lib/plugins/summaries.ts';
import { formatSpread, measure, printTable } from './measure.ts';

const COUNTS = [6, 60] as const;
const NODE_TYPES = 5;
const WALL_CALLS = 200;
const LIMIT_MS = 50;

/** Makes a node type with ten parameters. */
const toHandle = (id: string): PluginHandle => ({
  id,
  name: 'Send',
  description: 'Sends a message to a channel, and delivers the id under which the other side knows it',
  kind: 'action',
  schema: {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(
      Array.from({ length: 10 }, (_, at) => [
        `parameter${at}`,
        { type: 'string', default: 'x', description: 'Where the message goes; usually an expression' },
      ]),
    ),
  },
  example: { parameters: { parameter1: '{{ body.channel }}' }, output: { messageId: 'm-1' } },
  execute: () => ({ messageId: 'm-1' }),
});

const toPlugin = (id: string): InstalledPlugin => {
  const provider: PluginProvider = {
    id,
    name: id,
    version: '1.0.0',
    description: 'Messages',
    category: 'chat',
    handles: Array.from({ length: NODE_TYPES }, (_, at) => toHandle(`${id}.send${at}`)),
    healthCheck: () => ({ status: 'healthy' }),
  };
  return unified(id, async () => ({ default: provider }));
};

/** An inspection without the tables, which are not part of the measurement. */
const inspectNothing: Inspect = async () => ({
  store: { status: 'healthy' },
  functions: {},
  coverage: null,
  plugins: new Map(),
});

const sample = JSON.parse(readFileSync(new URL('../../events/adminPlugin.json', import.meta.url), 'utf8'));
const event = { ...sample, pathParameters: { id: 'plugin0' } };

const openTests = () => Promise.reject(new Error('not measured'));

/** The admin API's plugin endpoints, warm, with their own registry. */
const openEndpoints = async (count: number) => {
  const installed = Array.from({ length: count }, (_, at) => toPlugin(`plugin${at}`));
  const logger = createLogger({ write: () => {} });
  const registry = await loadRegistry(installed, { logger, clock: systemClock });
  const parts = { logger, clock: systemClock, loadRegistry: async () => registry };
  const about = {
    runtime: { node: process.version, architecture: process.arch, region: 'local', memoryMb: null },
    build: { version: '0.0.0', stage: 'bench' },
  };
  const handlers = {
    [listPluginsRoute.route]: createAdminList(parts, [listPluginsRoute], listPlugins),
    [showPluginRoute.route]: createShowPlugin(parts),
    [listTriggersRoute.route]: createAdminList(parts, [listTriggersRoute], listTriggers),
    [listActionsRoute.route]: createAdminList(parts, [listActionsRoute], listActions),
    [listProvidersRoute.route]: createAdminList(parts, [listProvidersRoute], listProviders),
    [healthRoute.route]: createHealthRoutes({
      ...parts,
      inspect: inspectNothing,
      pluginDeadlineMs: 2_000,
      openTests,
      openStored: openTests,
    }),
    [debugRoute.route]: createAdminList(parts, [debugRoute], (listed, now) =>
      describeRegistry(listed, { now, ...about }),
    ),
  };
  return Object.entries(handlers).map(([routeKey, handler]) => ({
    path: routeKey.replace('GET /api/admin/', ''),
    call: () => handler({ ...event, routeKey }, {} as never),
  }));
};

const measureWall = async (call: () => Promise<unknown>): Promise<number> => {
  let longest = 0;
  for (let at = 0; at < WALL_CALLS; at++) {
    const before = performance.now();
    await call();
    longest = Math.max(longest, performance.now() - before);
  }
  return longest;
};

/** Warm responses of the admin API by the number of installed plugins. */
export const benchAdmin = async (): Promise<void> => {
  const endpoints = await Promise.all(COUNTS.map(openEndpoints));
  const figures = await measure(endpoints.flat().map(({ call }) => call));
  const [few = [], many = []] = endpoints;
  const rows = await Promise.all(
    many.map(async ({ path, call }, at) => {
      const [before, after] = [figures[at], figures[few.length + at]];
      if (before === undefined || after === undefined) throw new Error('every endpoint is measured');
      const { body = '' } = (await call()) as { readonly body?: string };
      return [
        path,
        before.median.toFixed(0),
        after.median.toFixed(0),
        formatSpread(after),
        (after.median / before.median).toFixed(1),
        (body.length / 1e3).toFixed(1),
      ];
    }),
  );
  const [smallest, largest] = COUNTS;
  printTable(
    `The admin API, warm, with ${largest} plugins of ${NODE_TYPES} node types each`,
    ['CPU µs', `${smallest} plugins`, `${largest} plugins`, '', '×', 'kB'],
    rows,
  );
  let longest = 0;
  for (const { call } of many) longest = Math.max(longest, await measureWall(call));
  console.log(
    `\nThe slowest of ${many.length * WALL_CALLS} responses took ${longest.toFixed(1)} ms (bound: ${LIMIT_MS}).`,
  );
};
