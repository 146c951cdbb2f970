import { installedPlugins } from '../../plugins/installed.ts';
import { describePlugin } from '../support/plugin-contract.ts';

for (const installed of installedPlugins) describePlugin(installed);
