import * as v from 'valibot';
import { defineRoute } from '../http/api-route.ts';
import { describeRegistry } from '../plugins/summaries.ts';
import { createAdminList } from './admin-list.ts';
import { instant } from './answers.ts';
import type { Config } from './config.ts';
import type { AdminParts } from './ports.ts';
export const debugRoute = defineRoute({
  route: 'GET /api/admin/debug',
  summary: 'counts, runtime, version, node types, load errors',
  answers: {
    200: v.object({
      providerCount: v.number(),
      triggerCount: v.number(),
      actionCount: v.number(),
      serverTime: instant,
      runtime: v.object({
        node: v.string(),
        architecture: v.string(),
        region: v.string(),
        memoryMb: v.nullable(v.number()),
      }),
      build: v.object({ version: v.string(), stage: v.string() }),
      nodeTypes: v.array(v.string()),
      loadErrors: v.array(v.object({ id: v.string(), error: v.string() })),
    }),
  },
});

export const debugPluginsRoute = defineRoute({ ...debugRoute, route: 'GET /api/admin/plugins/debug' });

/** What the service knows of itself, with the installed plugins. */
export const createDebug = ({
  config: { version, stage },
  ...ports
}: AdminParts & { readonly config: Config }) => {
  const { AWS_REGION: region = 'local', AWS_LAMBDA_FUNCTION_MEMORY_SIZE: memory } = process.env;
  const memoryMb = memory === undefined ? null : Number(memory);
  const runtime = { node: process.version, architecture: process.arch, region, memoryMb };
  return createAdminList(ports, [debugRoute, debugPluginsRoute], (registry, now) =>
    describeRegistry(registry, { now, runtime, build: { version, stage } }),
  );
};
