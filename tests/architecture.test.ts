import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import {
  fileImports,
  findCycles,
  findMutualFolders,
  findUnusedExports,
  type ImportGraph,
  readImportGraph,
  readSources,
  type Sources,
} from './support/import-graph.ts';

/** Which folders of lib/ each one may import from, beside itself. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  shared: [],
  workflows: ['contract', 'shared'],
  engine: ['contract', 'shared', 'workflows'],
  executions: ['contract', 'shared', 'workflows', 'engine'],
  pages: ['shared'],
  callbacks: ['contract', 'shared', 'engine', 'executions', 'pages'],
  credentials: ['contract', 'shared'],
  plugins: ['contract', 'shared'],
  nodes: ['contract', 'shared'],
  'credential-types': ['contract', 'shared', 'nodes'], // a live test logs in as the node does
  http: ['contract', 'shared'],
  health: ['contract', 'shared', 'workflows', 'engine', 'plugins', 'credentials'],
  deliveries: ['contract', 'shared', 'workflows', 'executions'],
  registrations: ['contract', 'shared', 'workflows'],
  triggers: ['contract', 'shared', 'workflows', 'executions', 'deliveries'],
  webhooks: ['contract', 'shared', 'workflows', 'engine', 'executions', 'deliveries', 'credentials', 'pages'],
  adapters: [
    'contract',
    'shared',
    'workflows',
    'engine',
    'executions',
    'callbacks',
    'credentials',
    'deliveries',
    'registrations',
    'health',
    'webhooks',
  ],
};

/** No input and output in these, no clock, no chance: what they need comes in as an argument. */
const pureFolders = [
  'contract',
  'shared',
  'workflows',
  'engine',
  'executions',
  'triggers',
  'plugins',
  'health',
  'credential-types',
];

/** Packages that compute and nothing else. */
const purePackages = new Set([
  '@cfworker/json-schema',
  'acorn',
  'ajv',
  'ajv/dist/2020.js',
  'compare-versions',
  'croner', // next times of a cron expression: computed from the time that it is given
  'fastest-levenshtein',
  'jsonata',
  'marked',
  'p-limit',
  'typebox',
  'valibot',
  'node:net', // BlockList: addresses are compared, none is reached
  'node:url', // Punycode
  'node:util',
  'node:zlib',
]);

/** It takes from `node:crypto` what computes alone. */
const HASHING = 'lib/workflows/expressions/jsonata/hash-text.ts';

const impureNames = [
  'process',
  'console',
  'fetch',
  'crypto',
  'performance',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'Date.now',
  'new Date()',
  'Math.random',
];

/** What evaluates code that came as data. */
const evaluators = ['eval', 'Function'];

const MAX_FILES = 20;

const root = resolve(import.meta.dirname, '..');
const project = readImportGraph(
  readSources(root, ['lib', 'functions', 'plugins', 'cli', 'local', 'scripts']),
);

const libFolder = (file: string): string | null => /^lib\/([^/]+)\//.exec(file)?.[1] ?? null;

/** The harness of plugin tests is no part of the service. */
const isPure = (file: string): boolean =>
  pureFolders.includes(libFolder(file) ?? '') && !file.startsWith('lib/contract/testing/');

/** Every rule as a function of the graph, so that each can be seen to find what it forbids. */
const rules: Readonly<Record<string, (graph: ImportGraph) => readonly string[]>> = {
  'no files import one another in a circle': (graph) =>
    findCycles(fileImports(graph)).map((files) => files.join(', ')),

  'no folders import each other': findMutualFolders,

  'imports in lib point one way': (graph) =>
    [...graph].flatMap(([file, { imports }]) => {
      const folder = libFolder(file);
      if (folder === null || folder === 'app') return [];
      const allowed = [folder, ...(mayImport[folder] ?? [])];
      return imports
        .filter((target) => !allowed.includes(libFolder(target) ?? ''))
        .map((target) => `${file} -> ${target}`);
    }),

  'every folder of lib has its place in the order': (graph) =>
    [...new Set([...graph.keys()].filter((file) => file.startsWith('lib/')).map(libFolder))]
      .filter((folder) => folder !== 'app' && (folder === null || mayImport[folder] === undefined))
      .map(String),

  'the contract is a package: what a plugin imports needs no other package': (graph) =>
    [...graph].flatMap(([file, { imports, packages }]) => {
      if (libFolder(file) !== 'contract' || file.startsWith('lib/contract/testing/')) return [];
      const targets = imports.filter((target) => target.startsWith('lib/contract/testing/'));
      return [...targets, ...packages.filter((name) => !['typebox', 'node:net'].includes(name))].map(
        (to) => `${file} -> ${to}`,
      );
    }),

  'plugins are written against the contract alone': (graph) =>
    [...graph].flatMap(([file, { imports }]) =>
      !file.startsWith('plugins/') || file === 'plugins/installed.ts'
        ? []
        : imports.filter((target) => !/^(lib\/contract|plugins)\//.test(target)),
    ),

  'what is deployed imports nothing of this machine': (graph) =>
    [...graph].flatMap(([file, { imports }]) =>
      /^(lib|functions|plugins)\//.test(file)
        ? imports
            .filter((target) => /^(local|cli|scripts|tests)\//.test(target))
            .map((target) => `${file} -> ${target}`)
        : [],
    ),

  'the pure folders import no input and output': (graph) =>
    [...graph].flatMap(([file, { packages }]) =>
      isPure(file)
        ? packages
            .filter((name) => !purePackages.has(name) && !(name === 'node:crypto' && file === HASHING))
            .map((name) => `${file} -> ${name}`)
        : [],
    ),

  'the pure folders see no process, no clock and no chance': (graph) =>
    [...graph].flatMap(([file, { uses }]) =>
      isPure(file) ? impureNames.filter((name) => uses.has(name)).map((name) => `${file} uses ${name}`) : [],
    ),

  'nothing evaluates code that came as data': (graph) =>
    [...graph].flatMap(([file, { uses, packages }]) => [
      ...evaluators.filter((name) => uses.has(name)).map((name) => `${file} uses ${name}`),
      ...packages.filter((name) => name === 'node:vm').map((name) => `${file} -> ${name}`),
    ]),

  [`no folder holds more than ${MAX_FILES} files side by side`]: (graph) => {
    const counts = new Map<string, number>();
    for (const file of graph.keys()) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
    return [...counts].filter(([, count]) => count > MAX_FILES).map(([folder]) => folder);
  },
};

test.each(Object.keys(rules))('%s', (name) => {
  expect(rules[name]?.(project)).toEqual([]);
});

describe('each rule finds what it forbids:', () => {
  const cases: readonly (readonly [rule: string, found: string, sources: Sources])[] = [
    [
      'no files import one another in a circle',
      'lib/engine/a.ts, lib/engine/b.ts',
      {
        'lib/engine/a.ts': "import type { B } from './b.ts'",
        'lib/engine/b.ts': "export const load = () => import('./a.ts')",
      },
    ],
    [
      'no folders import each other',
      'cli <-> local: cli/a.ts -> local/b.ts, local/deep/c.ts -> cli/a.ts',
      {
        'cli/a.ts': "export * from '../local/b.ts'",
        'local/b.ts': '',
        'local/deep/c.ts': "import '../../cli/a.ts'",
      },
    ],
    [
      'no folders import each other',
      'local <-> local/pool: local/a.ts -> local/pool/b.ts, local/pool/c.ts -> local/d.ts',
      { 'local/a.ts': "import './pool/b.ts'", 'local/pool/c.ts': "import '../d.ts'" },
    ],
    [
      'imports in lib point one way',
      'lib/workflows/a.ts -> lib/executions/b.ts',
      { 'lib/workflows/a.ts': "let b: import('../executions/b.ts').B" },
    ],
    ['every folder of lib has its place in the order', 'utils', { 'lib/utils/a.ts': '' }],
    [
      'the contract is a package: what a plugin imports needs no other package',
      'lib/contract/a.ts -> ajv',
      { 'lib/contract/a.ts': "import 'ajv'" },
    ],
    [
      'plugins are written against the contract alone',
      'lib/shared/errors.ts',
      { 'plugins/a.ts': "import { AppError } from '../lib/shared/errors.ts'" },
    ],
    [
      'what is deployed imports nothing of this machine',
      'functions/a.ts -> local/stage/door/b.ts',
      { 'functions/a.ts': "import '../local/stage/door/b.ts'", 'local/stage/door/b.ts': '' },
    ],
    [
      'the pure folders import no input and output',
      'lib/engine/a.ts -> node:crypto',
      { 'lib/engine/a.ts': "import { randomUUID } from 'node:crypto'" },
    ],
    [
      'nothing evaluates code that came as data',
      'lib/nodes/a.ts uses Function',
      { 'lib/nodes/a.ts': "new Function('a', 'return a')" },
    ],
    ['nothing evaluates code that came as data', 'cli/a.ts -> node:vm', { 'cli/a.ts': "import 'node:vm'" }],
    [
      `no folder holds more than ${MAX_FILES} files side by side`,
      'lib/nodes',
      Object.fromEntries(Array.from({ length: MAX_FILES + 1 }, (_, index) => [`lib/nodes/${index}.ts`, ''])),
    ],
  ];
  test.each(cases)('%s (%s)', (rule, found, sources) => {
    expect(rules[rule]?.(readImportGraph(sources))).toEqual([found]);
  });

  test.each(impureNames)('the pure folders do not use %s', (name) => {
    const graph = readImportGraph({ 'lib/plugins/a.ts': `export const a = () => ${name};` });
    expect(rules['the pure folders see no process, no clock and no chance']?.(graph)).toEqual([
      `lib/plugins/a.ts uses ${name}`,
    ]);
  });

  test('keys and declarations of the same name are nothing of the platform', () => {
    const text = 'export interface A { process: string }; export const a = { fetch: 1 }; a.process;';
    const graph = readImportGraph({ 'lib/engine/a.ts': text });
    expect(rules['the pure folders see no process, no clock and no chance']?.(graph)).toEqual([]);
  });
});

test('a promise that all who ask share is kept by lazy, which forgets a failed one', () => {
  const sources = readSources(root, ['lib', 'functions', 'plugins', 'cli', 'local', 'scripts']);
  const keepers = Object.keys(sources).filter((file) =>
    /\blet \w+: Promise<.*> \| undefined/.test(sources[file] ?? ''),
  );
  expect(keepers).toEqual(['lib/shared/lazy.ts']);
});

/** Exports that no other file imports. The contract is for files of others; two modules are loaded by their path. */
const unusedExports = (graph: ImportGraph): string[] =>
  findUnusedExports(graph).filter(
    (name) =>
      /^(lib|cli|local)\//.test(name) &&
      !name.startsWith('lib/contract/') &&
      !['local/serverless-plugin.js#default', 'local/samples/samples-function.ts#handler'].includes(name),
  );

test('what a file exports, another file or a test imports', () => {
  const tests = readImportGraph(readSources(root, ['tests']));
  expect(unusedExports(new Map([...project, ...tests]))).toEqual([]);
});

test('an export that no other file imports is found', () => {
  const graph = readImportGraph({
    'lib/a.ts':
      'export const a = 1, b = 2; export function c() {} export class D {} export type E = F; interface F {}',
    'lib/b.ts': 'const g = 1, h = 2; export { g, h as i }; export default g;',
    'lib/c.ts': "export * from './d.ts'; export { j as k } from './e.ts';",
    'lib/d.ts': 'export const d = 1;',
    'lib/e.ts': 'export const j = 1, l = 2;',
    'lib/f.ts': "import { a, type E } from './a.ts'; import { i } from './b.ts'; let c: import('./c.ts').k;",
    'lib/contract/g.ts': 'export interface G {}',
  });
  expect(unusedExports(graph)).toEqual(
    'lib/a.ts#D lib/a.ts#b lib/a.ts#c lib/b.ts#default lib/b.ts#g lib/e.ts#l'.split(' '),
  );
});

test('what lib is made of is what the page on architecture shows', () => {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  for (const folder of [...Object.keys(mayImport), 'app']) expect(page).toContain(`${folder}/`);
});

test('the page on architecture names files that are there', () => {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const files = page.match(/\b(lib|functions|plugins|cli)\/[a-z\d/-]+\.ts/g) ?? [];
  expect(files.filter((file) => !project.has(file))).toEqual([]);
});
