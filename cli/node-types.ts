import { openAdmin } from '../lib/app/compose.ts';
import { readConfig } from '../lib/app/config.ts';
import type { FindNodeType } from '../lib/contract/node-type.ts';

/** The node types of the installed plugins: those that a deployed service of this very code has. */
export const loadNodeTypes = async (): Promise<FindNodeType> => {
  const { loadRegistry } = openAdmin(readConfig({ LOG_LEVEL: 'error' }));
  return (await loadRegistry()).findNodeType;
};
