import { describeCommandLine } from '../e2e/suites/command-line.ts';
import { describeBrokenPlugin } from '../e2e/suites/plugins.ts';
import { describeEditedSamples, describeSamples } from '../e2e/suites/samples.ts';
import { useRunningProject } from '../support/a-running-project.ts';
import { useStandIn } from '../support/stand-in.ts';

const standIn = useStandIn();
const project = useRunningProject(() => ({
  OUTBOUND_ALLOW: '127.0.0.1',
  LOG_LEVEL: 'warn',
  STAND_IN_PORT: String(standIn.port),
  STAND_IN_MAIL_PORT: String(standIn.mailPort),
}));

// In this order: the first suites see the project as it is in the repository, the later ones edit it. Those of
// single features are in deep/local-service-features.test.ts, those that edit its code in deep/local-service-edited.test.ts.
describeSamples(project, standIn);
describeEditedSamples(project);
describeBrokenPlugin(project);
describeCommandLine(project);
