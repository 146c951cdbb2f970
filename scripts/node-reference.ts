import { readdirSync } from 'node:fs';
import type { Plugin, PluginNodeType } from '../lib/plugins/plugin.ts';
import { describeNodeType, type NodeTypeDescription } from '../lib/plugins/reference/describe-node-type.ts';
import { describeCredentialType } from '../lib/plugins/reference/describe-plugin.ts';
import { addFeatures } from '../lib/webhooks/features/add-features.chunk.ts';
import { installedPlugins } from '../nodes/installed.ts';
import {
  printJson,
  printNodeType,
  printOutputs,
  toCode,
  toLine,
} from '../packages/authoring/reference/print-node-type.ts';
import { createWorkflowSchema } from '../packages/authoring/reference/workflow-schema.ts';
import { loadPlugins } from '../packages/cli/plugins/node-types.ts';
import { markdownTable, toCell, updateFiles } from './cost/places.ts';

const INDEX = 'INDEX.md';

const NOTE = '<!-- Made by `npm run docs:nodes` from the declarations of the plugins. -->';

const describeWithFeatures = (nodeType: PluginNodeType): NodeTypeDescription =>
  addFeatures(describeNodeType(nodeType));

/** The reference pages, as text by file name: one per node type, and an index. */
const createNodePages = (plugins: readonly Plugin[]): ReadonlyMap<string, string> => {
  const pages = plugins.flatMap(({ nodeTypes }) =>
    nodeTypes.map((nodeType): [string, string] => [
      `${nodeType.nodeType}.md`,
      `${NOTE}\n\n${printNodeType(describeWithFeatures(nodeType))}\n\n[All node types](${INDEX})\n`,
    ]),
  );
  return new Map([[INDEX, printIndex(plugins)], ...pages]);
};

const printIndex = (plugins: readonly Plugin[]): string =>
  [
    NOTE,
    '',
    '# Node types',
    '',
    'The node types of the installed plugins. Every node also has the outputs `error`, for `onError: "route"`, and `response`.',
    'On the command line: `npm run -s cli -- node-type list`, `node-type show TYPE`.',
    '',
    markdownTable(['type', 'does', 'outputs', 'plugin'], plugins.flatMap(listNodeTypes)),
    '',
    '## Credential types',
    '',
    'What nodes call out with, named by `credentialId`.',
    '',
    markdownTable(['type', 'is', 'fields', 'use', 'plugin'], plugins.flatMap(listCredentialTypes)),
    '',
  ].join('\n');

const listNodeTypes = ({ id, nodeTypes }: Plugin): string[][] =>
  nodeTypes.map(describeWithFeatures).map((description) => {
    const { nodeType } = description;
    const link = `[${toCode(nodeType)}](${nodeType}.md)`;
    return [link, toLine(description.description), printOutputs(description), toCode(id)].map(toCell);
  });

const listCredentialTypes = ({ id, credentialTypes }: Plugin): string[][] =>
  credentialTypes.map(describeCredentialType).map((type) => {
    const fields = Object.keys(type.schema.properties ?? {}).map((name) =>
      type.secretFields.includes(name) ? `${toCode(name)} (secret)` : toCode(name),
    );
    const use = type.appliesToRequests ? 'added to requests' : 'lent to the node';
    return [toCode(type.id), toLine(type.description), fields.join(', '), use, toCode(id)].map(toCell);
  });

/** What the plugins declare that are loaded on use, by their ids. */
const createProvided = (plugins: readonly Plugin[]) => {
  const ids = installedPlugins.flatMap((plugin) =>
    plugin.api === 'unified' && plugin.onUse !== undefined ? [plugin.id] : [],
  );
  const namesOf = (list: (plugin: Plugin) => readonly string[]) =>
    Object.fromEntries(
      plugins
        .filter((plugin) => ids.includes(plugin.id) && list(plugin).length > 0)
        .map((plugin) => [plugin.id, list(plugin)]),
    );
  return {
    nodeTypes: namesOf(({ nodeTypes }) => nodeTypes.map(({ nodeType }) => nodeType)),
    credentialTypes: namesOf(({ credentialTypes }) => credentialTypes.map(({ id }) => id)),
  };
};

// Writes the pages of docs/nodes from the node types of the installed plugins and removes all others, the names under
// which plugins are found that are loaded on use, and the JSON Schema of workflow files.

const FOLDER = 'docs/nodes';

const loaded = (await loadPlugins()).map((entry) => {
  if (entry.status !== 'loaded') throw new Error(`The plugin ${entry.id} is not loaded: ${entry.error}`);
  return entry.plugin;
});
const schema = createWorkflowSchema(loaded.flatMap(({ nodeTypes }) => nodeTypes.map(describeWithFeatures)));
const present = readdirSync(new URL(`../${FOLDER}`, import.meta.url));
updateFiles(
  {
    ...Object.fromEntries(present.map((name) => [`${FOLDER}/${name}`, null])),
    ...Object.fromEntries([...createNodePages(loaded)].map(([name, text]) => [`${FOLDER}/${name}`, text])),
    'nodes/provided.json': `${printJson(createProvided(loaded))}\n`,
    'workflows/workflow.schema.json': `${printJson(schema)}\n`,
  },
  'docs:nodes',
);
