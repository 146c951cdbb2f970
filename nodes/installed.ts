import {
  type InstalledPlugin,
  legacyAction,
  legacyTrigger,
  unified,
} from '../lib/plugins/installed-plugin.ts';
import { addedPlugins } from './added.ts';
import provided from './provided.json' with { type: 'json' };

/** What the plugins declare that are loaded on use: `npm run docs:nodes` reads it from them. */
const { nodeTypes, credentialTypes }: Record<keyof typeof provided, NamesByPlugin> = provided;
type NamesByPlugin = Readonly<Record<string, readonly string[]>>;

/**
 * Like {@link unified}, but loaded only if a workflow uses one of its node types, or a credential has one of its types,
 * so that other runs pay nothing for it. It has no dependencies. Its file is called `NAME.plugin.ts`, which keeps it
 * out of all bundles.
 */
const onUse = (id: string, load: InstalledPlugin['load']): InstalledPlugin => ({
  id,
  api: 'unified',
  load,
  onUse: { nodeTypes: nodeTypes[id], credentialTypes: credentialTypes[id] },
});

/**
 * The installed plugins: only what is listed here runs.
 *
 * To install a plugin, put it into a file of this folder, written against `@hookloom/plugin-kit` only, and add one line with the
 * helper for its API. Keep the `import()` inside the function: a module is then evaluated on first use, and one that
 * throws breaks itself alone.
 */
export const installedPlugins: readonly InstalledPlugin[] = [
  unified('webhookTrigger', () => import('./webhook/webhook-trigger.ts')),
  unified('manualTrigger', () => import('./webhook/manual-trigger.ts')),
  onUse('httpRequest', () => import('./http-request/http-request.plugin.ts')),
  unified('flow', () => import('./flow/flow.ts')),
  onUse('control', () => import('./control/control.plugin.ts')),
  onUse('credentials', () => import('./credential-types/credential-types.plugin.ts')),
  onUse('data', () => import('./data/data.plugin.ts')),
  legacyAction('noOp', () => import('./data/no-op.plugin.ts')),
  onUse('formats', () => import('./formats/formats.plugin.ts')),
  onUse('aws', () => import('./aws/aws.plugin.ts')),
  onUse('llm', () => import('./llm/llm.plugin.ts')),
  onUse('email', () => import('./email/email.plugin.ts')),
  onUse('postgres', () => import('./postgres/postgres.plugin.ts')),
  onUse('code', () => import('./code/code.plugin.ts')),
  onUse('slack', () => import('./slack/slack.plugin.ts')),
  onUse('github', () => import('./github/github.plugin.ts')),
  onUse('triggers', () => import('../lib/triggers/types/triggers.plugin.ts')),
  legacyTrigger('eventTrigger', () => import('../lib/triggers/types/event-trigger.plugin.ts')),
  onUse('polls', () => import('./polls.plugin.ts')),
  onUse('graphql', () => import('./graphql/graphql.plugin.ts')),
  onUse('rss', () => import('./rss/rss.plugin.ts')),
  onUse('state', () => import('./state/state.plugin.ts')),
  ...addedPlugins,
];
