import { openAdmin } from '../../lib/app/compose/admin.ts';
import { debugPluginsRoute, debugRoute } from '../../lib/app/health.ts';
import { createAdminList } from '../../lib/app/plugins-handlers.ts';
import { serve } from '../../lib/app/sandbox.ts';
import { describeRegistry } from '../../lib/plugins/summaries.ts';
import { describedPlugins } from '../../nodes/described.ts';

const { config, ...parts } = openAdmin(describedPlugins);

const { AWS_REGION: region = 'local', AWS_LAMBDA_FUNCTION_MEMORY_SIZE: memory } = process.env;
const runtime = {
  node: process.version,
  architecture: process.arch,
  region,
  memoryMb: memory === undefined ? null : Number(memory),
};
const build = { version: config.version, stage: config.stage };

export const handler = serve(
  createAdminList(parts, [debugRoute, debugPluginsRoute], (registry, now) =>
    describeRegistry(registry, { now, runtime, build }),
  ),
);
