import { describeApprovals } from '../e2e/suites/approvals.ts';
import { describeBulkRetries } from '../e2e/suites/bulk-retries.ts';
import { describeFailuresAndHand } from '../e2e/suites/failures-and-hand.ts';
import { describeRequests } from '../e2e/suites/requests.ts';
import { describeSettings } from '../e2e/suites/settings.ts';
import { describeState } from '../e2e/suites/state.ts';
import { describeStatistics } from '../e2e/suites/statistics.ts';
import { describeTriggers } from '../e2e/suites/triggers.ts';
import { describeUploads } from '../e2e/suites/uploads.ts';
import { describeWebhookBodies } from '../e2e/suites/webhook-bodies.ts';
import { describeWebhookGuards } from '../e2e/suites/webhook-guards.ts';
import { describeWebhookParameters } from '../e2e/suites/webhook-parameters.ts';
import { useRunningProject } from '../support/a-running-project.ts';
import { useStandIn } from '../support/stand-in.ts';

const standIn = useStandIn();
const project = useRunningProject(() => ({
  OUTBOUND_ALLOW: '127.0.0.1',
  LOG_LEVEL: 'warn',
  STAND_IN_PORT: String(standIn.port),
  STAND_IN_MAIL_PORT: String(standIn.mailPort),
}));

// Features of the running service, beside what e2e/local-service.test.ts has of it.
describeFailuresAndHand(project);
describeBulkRetries(project);
describeWebhookBodies(project);
describeWebhookGuards(project);
describeRequests(project);
describeStatistics(project);
describeSettings(project);
describeState(project);
describeWebhookParameters(project);
describeUploads(project);
describeApprovals(project);
describeTriggers(project);
