import { answerRoute } from '../http/api-route.ts';
import { readCaller, serveRoutes } from '../http/create-handler.ts';
import { canDisable } from '../plugins/disabled-plugins.ts';
import type { Registry } from '../plugins/load-registry.ts';
import type { Plugin, PluginEntry } from '../plugins/plugin.ts';
import { answerJson } from '../shared/answer.ts';
import { PLUGIN_NOT_FOUND, PLUGIN_NOT_SWITCHED, STORE_UNAVAILABLE } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import { findNearest } from '../shared/near-name.ts';
import type { DisabledPlugin } from '../shared/settings/settings.ts';
import { findUsersOfNodeTypes } from '../workflows/definition/find-users.ts';
import { disablePluginRoute, enablePluginRoute, listDisabledPluginsRoute } from './plugins.ts';
import { answerVariables, type VariablesParts } from './variables-handlers.ts';

/** What an operator sets on a stage without deploying: variables, and which plugins are disabled. */
export const createSettings = (parts: VariablesParts) =>
  serveRoutes(parts, [...answerVariables(parts), ...answerDisabledPlugins(parts)]);

/** How often a change is tried when others are faster. */
const MAX_TRIES = 10;

/** How many nodes that use a plugin an answer names. */
const MAX_USERS = 100;

const answerDisabledPlugins = ({ settings, clock, loadRegistry, listUsers }: VariablesParts) => {
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
