import { createAdminFunction } from '../../lib/admin-functions.ts';
import { openAdmin } from '../../lib/app.ts';
import { answerJson } from '../../lib/http/answer.ts';
import { checkHealth } from '../../lib/plugins/health.ts';

const { config, ...parts } = openAdmin();

export const handler = createAdminFunction(parts, async (registry, { clock, logger }) => {
  const report = await checkHealth(registry, { clock, logger, deadlineMs: config.pluginDeadlineMs });
  return answerJson(report.status === 'unhealthy' ? 503 : 200, report);
});
