import {
  type InstalledPlugin,
  legacyAction,
  legacyTrigger,
  unified,
} from '../lib/plugins/installed-plugin.ts';

/**
 * The installed plugins: only what is listed here runs.
 *
 * To install a plugin, put it into a file of this folder, written against `lib/contract` only, and add one line with the
 * helper for its API. Keep the `import()` inside the function: a module is then evaluated on first use, and one that
 * throws breaks itself alone.
 */
export const installedPlugins: readonly InstalledPlugin[] = [
  legacyTrigger('webhookTrigger', () => import('../lib/nodes/webhook-trigger.ts')),
  legacyTrigger('manualTrigger', () => import('../lib/nodes/manual-trigger.ts')),
  legacyAction('httpRequest', () => import('../lib/nodes/http-request/http-request.ts')),
  unified('flow', () => import('../lib/nodes/flow.ts')),
  unified('control', () => import('../lib/nodes/control.ts')),
  unified('credentials', () => import('../lib/credential-types/credential-types.ts')),
  unified('data', () => import('../lib/nodes/data/data.ts')),
  unified('formats', () => import('../lib/nodes/formats/formats.ts')),
];
