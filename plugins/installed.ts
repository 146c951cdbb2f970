import {
  type InstalledPlugin,
  legacyAction,
  legacyTrigger,
  unified,
} from '../lib/plugins/installed-plugin.ts';

/**
 * The installed plugins: what is listed here is what runs, and nothing else does.
 *
 * A team puts its own plugin into a file of this folder, written against `lib/contract` only, and adds one line
 * with the helper for the API that it uses. Keep the `import()` inside the function: each module is then
 * evaluated on its first use, and one that throws hurts nobody but itself.
 */
export const installedPlugins: readonly InstalledPlugin[] = [
  legacyTrigger('webhookTrigger', () => import('../lib/nodes/webhook-trigger.ts')),
  legacyTrigger('manualTrigger', () => import('../lib/nodes/manual-trigger.ts')),
  legacyAction('httpRequest', () => import('../lib/nodes/http-request/http-request.ts')),
  unified('flow', () => import('../lib/nodes/flow.ts')),
  unified('control', () => import('../lib/nodes/control.ts')),
];
