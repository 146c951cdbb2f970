import * as v from 'valibot';
import { defineRoute } from '../http/api-route.ts';
import { messageText, optional } from '../shared/query-fields.ts';
import { described, instant } from './answers.ts';
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
