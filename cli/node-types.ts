import { openAdmin } from '../lib/app/compose.ts';
import { readConfig } from '../lib/app/config.ts';
import type { FindNodeType } from '../lib/contract/node-type.ts';

/** Loads the node types of the installed plugins, the same as in a service deployed from this code. */
export const loadNodeTypes = async (): Promise<FindNodeType> => {
  const { loadRegistry } = openAdmin(readConfig({ LOG_LEVEL: 'error' }));
  return (await loadRegistry()).findNodeType;
};
