import { useRunningProject } from '../support/a-running-project.ts';
import { useStandIn } from '../support/stand-in.ts';
import { describeApprovals } from './suites/approvals.ts';
import { describeCommandLine } from './suites/command-line.ts';
import { describeFailuresAndHand } from './suites/failures-and-hand.ts';
import { describeGateway } from './suites/gateway.ts';
import { describeBrokenPlugin } from './suites/plugins.ts';
import { describeRequests } from './suites/requests.ts';
import { describeSamples } from './suites/samples.ts';
import { describeTriggers } from './suites/triggers.ts';
import { describeUploads } from './suites/uploads.ts';
import { describeWebhookBodies } from './suites/webhook-bodies.ts';
import { describeWebhookGuards } from './suites/webhook-guards.ts';
import { describeWebhookParameters } from './suites/webhook-parameters.ts';

const standIn = useStandIn();
const project = useRunningProject(() => ({
  OUTBOUND_ALLOW: '127.0.0.1',
  LOG_LEVEL: 'warn',
  STAND_IN_PORT: String(standIn.port),
  STAND_IN_MAIL_PORT: String(standIn.mailPort),
}));

// In this order: the first suites see the project as it is in the repository, the later ones edit it. Those that edit its code are in
// deep/local-service-edited.test.ts.
describeSamples(project, standIn);
describeFailuresAndHand(project);
describeBrokenPlugin(project);
describeCommandLine(project);
describeGateway(project);
describeWebhookBodies(project);
describeWebhookGuards(project);
describeRequests(project);
describeWebhookParameters(project);
describeUploads(project);
describeApprovals(project);
describeTriggers(project);
