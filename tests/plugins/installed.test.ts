import { installedPlugins } from '../../nodes/installed.ts';
import { describePlugin } from '../support/plugin-contract.ts';

for (const installed of installedPlugins) describePlugin(installed);
