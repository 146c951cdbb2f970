import * as v from 'valibot';
import { answerRoute, defineRoute } from '../http/api-route.ts';
import { readCaller, serveRoutes } from '../http/create-handler.ts';
import { canDisable } from '../plugins/disabled-plugins.ts';
import type { Registry } from '../plugins/load-registry.ts';
import type { Plugin, PluginEntry } from '../plugins/plugin.ts';
import { describePlugin } from '../plugins/reference/describe-plugin.ts';
import { answerJson } from '../shared/answer.ts';
import { PLUGIN_NOT_FOUND, PLUGIN_NOT_SWITCHED, STORE_UNAVAILABLE } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import { findNearest } from '../shared/near-name.ts';
import { messageText, optional } from '../shared/query-fields.ts';
import type { DisabledPlugin } from '../shared/settings/settings.ts';
import { findUsersOfNodeTypes } from '../workflows/definition/find-users.ts';
import { initialisePlugins } from './admin-list.ts';
import { described, instant } from './answers.ts';
import type { AdminParts, SettingsParts } from './ports.ts';
import { credentialTypeDescription, nodeTypeDescription } from './types.ts';

export const pluginSummary = v.object({
  id: v.string(),
  name: v.string(),
  description: v.string(),
  type: v.picklist(['TRIGGER', 'ACTION', 'PROVIDER']),
  category: v.string(),
  loaded: v.boolean(),
  version: v.string(),
  api: v.picklist(['legacy', 'unified']),
  nodeTypes: v.array(v.string()),
  provider: v.string(),
  error: v.optional(v.string()),
});

const { provider: _provider, ...pluginFields } = pluginSummary.entries;

export const pluginDescription = v.object({
  ...pluginFields,
  status: v.picklist(['loaded', 'failed', 'disabled']),
  warnings: v.array(v.string()),
  dependencies: v.array(
    v.object({ pluginId: v.string(), version: v.optional(v.string()), optional: v.optional(v.boolean()) }),
  ),
  credentialTypes: v.array(credentialTypeDescription),
  nodeTypes: v.array(nodeTypeDescription),
});

export const listPluginsRoute = defineRoute({
  route: 'GET /api/admin/plugins',
  summary: 'every installed plugin, legacy and unified, loaded or not',
  answers: { 200: v.object({ count: v.number(), plugins: v.array(pluginSummary), timestamp: instant }) },
});

export const showPluginRoute = defineRoute({
  route: 'GET /api/admin/plugins/{id}',
  summary: 'one plugin with its status and everything that its node types declare',
  answers: { 200: pluginDescription },
  problems: ['PLUGIN_NOT_FOUND'],
});

export const listDisabledPluginsRoute = defineRoute({
  route: 'GET /api/admin/plugins/disabled',
  summary:
    'the plugins that are disabled on the stage; those of `DISABLED_PLUGINS` are in the list of all plugins',
  answers: {
    200: v.object({
      count: v.number(),
      plugins: v.array(
        v.object({
          id: v.string(),
          disabledAt: instant,
          disabledBy: described(v.nullable(v.string()), 'ARN of the caller'),
          message: v.nullable(v.string()),
        }),
      ),
      timestamp: instant,
    }),
  },
});

const switched = { id: v.string(), changed: v.boolean() };

export const disablePluginRoute = defineRoute({
  route: 'POST /api/admin/plugins/{id}/disable',
  summary: 'disables a plugin on the stage: its nodes fail, and its credentials are not sent',
  query: v.object({ message: optional(messageText, 'Why, for those who see the failures') }),
  answers: {
    200: v.object({
      ...switched,
      disabled: v.literal(true),
      users: described(v.array(v.string()), 'Nodes of the plugin; at most the first 100'),
    }),
  },
  problems: ['PLUGIN_NOT_FOUND', 'PLUGIN_NOT_SWITCHED'],
});

export const enablePluginRoute = defineRoute({
  route: 'POST /api/admin/plugins/{id}/enable',
  summary: 'enables a plugin that was disabled on the stage',
  answers: { 200: v.object({ ...switched, disabled: v.literal(false) }) },
  problems: ['PLUGIN_NOT_FOUND'],
});

export const listTriggersRoute = defineRoute({
  route: 'GET /api/admin/plugins/triggers',
  summary: 'every trigger node type',
  answers: { 200: v.array(pluginSummary) },
});

export const listActionsRoute = defineRoute({
  route: 'GET /api/admin/plugins/actions',
  summary: 'every action node type',
  answers: { 200: v.array(pluginSummary) },
});

export const listProvidersRoute = defineRoute({
  route: 'GET /api/admin/plugins/providers',
  summary: 'the unified providers',
  answers: { 200: v.array(pluginSummary) },
});

/** `GET /api/admin/plugins/{id}`: everything that a plugin declares. */
export const createShowPlugin = (parts: AdminParts) =>
  serveRoutes(parts, [
    answerRoute(showPluginRoute, async ({ params }) =>
      answerJson(200, describePlugin({ plugins: await initialisePlugins(parts) }, params.id)),
    ),
  ]);

/** How often a change is tried when others are faster. */
const MAX_TRIES = 10;

/** How many nodes that use a plugin an answer names. */
const MAX_USERS = 100;

/** What disables and enables plugins on the stage. */
export const answerDisabledPlugins = ({ settings, clock, loadRegistry, listUsers }: SettingsParts) => {
  /** Changes the setting. @param make - returns null if nothing is to be changed */
  const change = async (
    make: (disabled: readonly DisabledPlugin[]) => readonly DisabledPlugin[] | null,
  ): Promise<boolean> => {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const { content, revision } = await settings.findLatest('plugins');
      const next = make(content);
      if (next === null) return false;
      if (await settings.put('plugins', { content: next, revision: revision + 1 })) return true;
    }
    throw new AppError(STORE_UNAVAILABLE, {});
  };

  /** The nodes of a plugin, by the workflow that they are in. */
  const findUsers = async ({ nodeTypes }: Plugin): Promise<readonly string[]> => {
    const names = nodeTypes.map(({ nodeType }) => nodeType);
    const definitions = await listUsers({ kind: 'nodeTypes', names }, MAX_USERS);
    return findUsersOfNodeTypes(names, definitions).slice(0, MAX_USERS);
  };

  return [
    answerRoute(listDisabledPluginsRoute, async () => {
      const { content: plugins } = await settings.findLatest('plugins');
      const timestamp = new Date(clock.now()).toISOString();
      return answerJson(200, { count: plugins.length, plugins, timestamp });
    }),

    answerRoute(disablePluginRoute, async ({ event, params: { id }, query: { message }, addLogFields }) => {
      const plugin = requireSwitchable(id, await loadRegistry());
      const disabled = {
        id,
        disabledAt: new Date(clock.now()).toISOString(),
        disabledBy: readCaller(event),
        message,
      };
      const changed = await change((known) =>
        known.some((other) => other.id === id && other.message === message)
          ? null
          : [...known.filter((other) => other.id !== id), disabled],
      );
      addLogFields({ plugin: id, changed: changed ? 1 : 0 });
      return answerJson(200, { id, disabled: true as const, changed, users: await findUsers(plugin) });
    }),

    answerRoute(enablePluginRoute, async ({ params: { id }, addLogFields }) => {
      const { plugins } = await loadRegistry();
      let isKnown = plugins.some((entry) => entry.id === id);
      const changed = await change((known) => {
        const rest = known.filter((other) => other.id !== id);
        isKnown ||= rest.length < known.length; // it is no longer installed
        return rest.length === known.length ? null : rest;
      });
      if (!isKnown) throw notFound(id, plugins);
      addLogFields({ plugin: id, changed: changed ? 1 : 0 });
      return answerJson(200, { id, disabled: false as const, changed });
    }),
  ];
};

/** @throws AppError `PLUGIN_NOT_FOUND`, or `PLUGIN_NOT_SWITCHED` if it can't be disabled on a stage */
const requireSwitchable = (id: string, { plugins }: Pick<Registry, 'plugins'>): Plugin => {
  const entry = plugins.find((other) => other.id === id);
  if (entry === undefined) throw notFound(id, plugins);
  if (entry.status !== 'loaded')
    throw new AppError(PLUGIN_NOT_SWITCHED, { id, reason: `It is not loaded: ${entry.error}.` });
  if (!canDisable(entry.plugin))
    throw new AppError(PLUGIN_NOT_SWITCHED, {
      id,
      reason:
        'Its nodes start workflows, direct their flow or compute. Disable the workflows, or leave it out of the deployment with DISABLED_PLUGINS.',
    });
  return entry.plugin;
};

const notFound = (id: string, plugins: readonly PluginEntry[]) =>
  new AppError(PLUGIN_NOT_FOUND, {
    near: findNearest(
      id,
      plugins.map((entry) => entry.id),
    ),
  });
