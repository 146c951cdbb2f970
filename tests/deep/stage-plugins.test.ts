import { describePluginKit } from '../e2e/suites/plugin-kit.ts';
import { describeBrokenPlugin, describeStrayPlugins, strayPlugins } from '../e2e/suites/plugins.ts';
import { useRunningStage } from '../support/a-running-stage.ts';

const stage = useRunningStage({ args: () => ['--no-samples'] });

// Plugins are edits of the project: each suite deploys it again.
describeBrokenPlugin(stage);
describePluginKit(stage, strayPlugins);
describeStrayPlugins(stage);
