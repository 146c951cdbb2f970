import { printNodeType, printOutputs, toCode, toLine } from '../../authoring/reference/print-node-type.ts';
import type { Plugin } from '../../lib/plugins/plugin.ts';
import { describeNodeType } from '../../lib/plugins/reference/describe-node-type.ts';
import { describeCredentialType } from '../../lib/plugins/reference/describe-plugin.ts';

const INDEX = 'INDEX.md';

const NOTE = '<!-- Made by `npm run docs:nodes` from the declarations of the plugins. -->';

/** The reference pages, as text by file name: one per node type, and an index. */
export const createNodePages = (plugins: readonly Plugin[]): ReadonlyMap<string, string> => {
  const pages = plugins.flatMap(({ nodeTypes }) =>
    nodeTypes.map((nodeType): [string, string] => [
      `${nodeType.nodeType}.md`,
      `${NOTE}\n\n${printNodeType(describeNodeType(nodeType))}\n\n[All node types](${INDEX})\n`,
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
    ...printTable(['type', 'does', 'outputs', 'plugin'], plugins.flatMap(listNodeTypes)),
    '',
    '## Credential types',
    '',
    'What nodes call out with, named by `credentialId`.',
    '',
    ...printTable(['type', 'is', 'fields', 'use', 'plugin'], plugins.flatMap(listCredentialTypes)),
    '',
  ].join('\n');

const listNodeTypes = ({ id, nodeTypes }: Plugin): string[][] =>
  nodeTypes.map(describeNodeType).map((description) => {
    const { nodeType } = description;
    const link = `[${toCode(nodeType)}](${nodeType}.md)`;
    return [link, toLine(description.description), printOutputs(description), toCode(id)];
  });

const listCredentialTypes = ({ id, credentialTypes }: Plugin): string[][] =>
  credentialTypes.map(describeCredentialType).map((type) => {
    const fields = Object.keys(type.schema.properties ?? {}).map((name) =>
      type.secretFields.includes(name) ? `${toCode(name)} (secret)` : toCode(name),
    );
    const use = type.appliesToRequests ? 'added to requests' : 'lent to the node';
    return [toCode(type.id), toLine(type.description), fields.join(', '), use, toCode(id)];
  });

const printTable = (head: readonly string[], rows: readonly (readonly string[])[]): string[] =>
  [head, head.map(() => '---'), ...rows].map(
    (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`,
  );
