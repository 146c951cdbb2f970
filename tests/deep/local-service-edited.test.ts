import { describeBackgroundRuns } from '../e2e/suites/background-runs.ts';
import { describeEdits, editedPlugins } from '../e2e/suites/edits.ts';
import { describeOtherServices } from '../e2e/suites/other-services.ts';
import { describePluginKit } from '../e2e/suites/plugin-kit.ts';
import { describeStrayPlugins, strayPlugins } from '../e2e/suites/plugins.ts';
import { describeSignatures } from '../e2e/suites/signatures.ts';
import { useRunningProject } from '../support/a-running-project.ts';

const project = useRunningProject({ OUTBOUND_ALLOW: '127.0.0.1', LOG_LEVEL: 'warn' });

describeSignatures(project);
describePluginKit(project, { ...editedPlugins, ...strayPlugins });
describeEdits(project);
describeStrayPlugins(project);
describeBackgroundRuns(project);
describeOtherServices(project);
