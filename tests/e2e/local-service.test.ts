import { useRunningProject } from '../support/a-running-project.ts';
import { useStandIn } from '../support/stand-in.ts';
import { describeBackgroundRuns } from './suites/background-runs.ts';
import { describeCommandLine } from './suites/command-line.ts';
import { describeEdits, editedPlugins } from './suites/edits.ts';
import { describeGateway } from './suites/gateway.ts';
import { describeOtherServices } from './suites/other-services.ts';
import { describePluginKit } from './suites/plugin-kit.ts';
import { describeBrokenPlugin, describeStrayPlugins, strayPlugins } from './suites/plugins.ts';
import { describeSamples } from './suites/samples.ts';
import { describeSignatures } from './suites/signatures.ts';
import { describeWebhookGuards } from './suites/webhook-guards.ts';

const standIn = useStandIn();
const project = useRunningProject(() => ({
  OUTBOUND_ALLOW: '127.0.0.1',
  LOG_LEVEL: 'warn',
  STAND_IN_PORT: String(standIn.port),
  STAND_IN_MAIL_PORT: String(standIn.mailPort),
}));

// In this order: the first suites see the project as it is in the repository, the later ones edit it.
describeSamples(project, standIn);
describeBrokenPlugin(project);
describeCommandLine(project);
describeGateway(project);
describeSignatures(project);
describeWebhookGuards(project);
describePluginKit(project, { ...editedPlugins, ...strayPlugins });
describeEdits(project);
describeStrayPlugins(project);
describeBackgroundRuns(project);
describeOtherServices(project);
