import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import {
  fileImports,
  findCycles,
  findMutualFolders,
  type ImportGraph,
  readImportGraph,
  readSources,
  type Sources,
  sourceFolders,
} from './support/import-graph.ts';

/** Which folders of lib/ each one may import from, as well as itself. All may import packages, by name. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  shared: [],
  workflows: ['shared'],
  engine: ['shared', 'workflows'],
  state: ['shared', 'engine'],
  executions: ['shared', 'workflows', 'engine', 'state'],
  approvals: ['shared', 'engine', 'executions'],
  credentials: ['shared', 'engine'],
  plugins: ['shared'],
  http: ['shared'],
  health: ['shared', 'workflows', 'engine', 'executions', 'plugins', 'credentials', 'state', 'triggers'],
  triggers: ['shared', 'workflows', 'executions'],
  webhooks: ['shared', 'workflows', 'engine', 'executions', 'credentials', 'approvals'],
  adapters: [
    'shared',
    'workflows',
    'engine',
    'state',
    'executions',
    'approvals',
    'credentials',
    'health',
    'triggers',
    'webhooks',
  ],
};

/** What each area may import by a path, as well as itself: see {@link areaOf}. */
const mayReach: Readonly<Record<string, readonly string[]>> = {
  packages: [],
  nodes: [],
  installed: ['lib', 'nodes'],
  lib: [],
  authoring: ['lib', 'nodes'],
  functions: ['lib', 'authoring', 'installed'],
  console: ['lib', 'authoring', 'resources'],
};

/** Packages that stand on the service. */
const onTheService = ['authoring', 'cli', 'console', 'local'];

/**
 * What the page of the console runs of the service, because it must say the same as the service while one types:
 * expressions, checks and schedules. They are pure; `build-console.ts` refuses what needs Node.
 */
const runsInPage = [
  'lib/credentials/limits/call-limits.ts',
  'lib/credentials/outbound/host-pattern.ts',
  'lib/executions/record/body-pass.ts',
  'lib/workflows/definition/schema.ts',
  'lib/workflows/expressions/',
  'lib/triggers/schedule/',
  'lib/shared/near-name.ts',
  'packages/authoring/validation/',
  'packages/authoring/oauth2-presets.ts',
  'packages/authoring/reference/print-node-type.ts',
];
const packagesInPage = ['@hookloom/counted-jsonata', '@hookloom/plugin-kit', '@hookloom/plugin-kit/host'];

/** No input and output in these folders of lib/, no clock, no chance: what they need comes in as an argument. */
const pureFolders = ['shared', 'workflows', 'engine', 'executions', 'triggers', 'plugins', 'health'];

/** Modules that compute and nothing else. */
const pureModules = new Set([
  'compare-versions',
  'croner', // next times of a cron expression: computed from the time that it is given
  'fastest-levenshtein',
  'p-limit',
  'typebox',
  'valibot',
  'acorn',
  'node:net', // BlockList: addresses are compared, none is reached
  'node:url', // Punycode
  'node:util',
  'node:zlib',
]);

/** They take from `node:crypto` the hash of a string alone. */
const hashing = [
  'lib/executions/deliveries/claim-delivery.ts',
  'lib/executions/deliveries/to-execution-id.ts',
  'lib/health/notices/notice.ts',
  'lib/executions/lifecycle/journal-steps.ts',
  'lib/executions/traces/trace-context.ts',
  'lib/triggers/registrations/registration.ts',
  'lib/workflows/expressions/language.chunk.ts',
  'packages/counted-jsonata/src/functions/step-functions.ts',
];

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

/** Files of the longest chain of imports within a package, or within a top-level folder. */
const MAX_CHAIN = 15;

/** Shorter files are an idea that someone looks for, or belong beside their only importer. */
const MIN_LINES = 25;

const root = resolve(import.meta.dirname, '..');
const isTest = (file: string): boolean => /^packages\/[^/]+\/tests\//.test(file);
const sources = Object.fromEntries(
  Object.entries(readSources(root, sourceFolders)).filter(([file]) => !isTest(file)),
);
const project = readImportGraph(sources);

const libFolder = (file: string): string | null => /^lib\/([^/]+)\//.exec(file)?.[1] ?? null;

/** `packages/NAME`, or the top-level folder. */
const packageOf = (file: string): string => /^(?:packages\/)?[^/]+/.exec(file)?.[0] ?? '';

/** What stands in for AWS on this machine. */
const STAGE = 'packages/lambda-stage/';

/**
 * A package that stands on the service by its name, all others together as `packages`; `installed` is the list of what is
 * installed, with the triggers that poll with the requests of nodes, on the service's schedule; else the top-level folder.
 */
const areaOf = (file: string): string => {
  if (/^nodes\/[^/]+$/.test(file)) return 'installed';
  const [top = '', name = ''] = file.split('/');
  return top === 'packages' && onTheService.includes(name) ? name : top;
};

/** The harness of plugin tests may do what a test does; `metered-quickjs` reads its interpreter from a file. */
const isPure = (file: string): boolean =>
  pureFolders.includes(libFolder(file) ?? '') ||
  (areaOf(file) === 'packages' &&
    !file.startsWith('packages/plugin-kit/testing/') &&
    !file.startsWith('packages/metered-quickjs/') &&
    !file.startsWith('packages/cdk/') &&
    !file.startsWith(STAGE));

/** The dependencies that the manifest of a package names, which computes with them. */
const dependenciesOf = (file: string): readonly string[] => {
  const manifest = join(root, packageOf(file), 'package.json');
  if (!file.startsWith('packages/') || !existsSync(manifest)) return [];
  const { dependencies = {}, peerDependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8'));
  return Object.keys({ ...dependencies, ...peerDependencies });
};

const isOurs = (name: string): boolean => name.startsWith('@hookloom/');

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

  'top-level folders import each other one way, and packages by name': (graph) =>
    [...graph].flatMap(([file, { imports }]) => {
      const area = areaOf(file);
      const allowed = mayReach[area];
      return imports
        .filter((target) => {
          const other = areaOf(target);
          if (packageOf(target) === packageOf(file) && other === area) return false;
          return other === 'packages' || (allowed !== undefined && !allowed.includes(other));
        })
        .map((target) => `${file} -> ${target}`);
    }),

  'the page of the console has types of the service, and of its code what runs in the page': (graph) =>
    [...graph].flatMap(([file, { loads, packages }]) =>
      file.startsWith('packages/console/src/')
        ? [
            ...loads.filter(
              (target) =>
                !target.startsWith('packages/console/') &&
                !runsInPage.some((path) => target.startsWith(path)),
            ),
            ...packages.filter((name) => isOurs(name) && !packagesInPage.includes(name)),
          ].map((target) => `${file} -> ${target}`)
        : [],
    ),

  'expressions use nothing that a browser lacks: the page of the console evaluates them, too': (graph) =>
    [...graph].flatMap(([file, { uses }]) =>
      /^(packages\/counted-jsonata|lib\/workflows\/expressions)\//.test(file) &&
      [...uses].some((name) => /^Buffer\b/.test(name))
        ? [file]
        : [],
    ),

  'a package imports what its manifest names': (graph) =>
    [...graph].flatMap(([file, { packages }]) =>
      !file.startsWith('packages/')
        ? []
        : packages
            .filter(
              (name) =>
                !name.startsWith('node:') &&
                name !== 'sample-workflows' && // made by build-console.ts
                !dependenciesOf(file).some((known) => isWithin(name, known)),
            )
            .map((name) => `${file} -> ${name}`),
    ),

  'what is deployed imports nothing of this machine': (graph) =>
    [...graph].flatMap(([file, { imports, packages }]) =>
      ['packages', 'nodes', 'installed', 'lib', 'authoring', 'functions'].includes(areaOf(file))
        ? [
            ...imports.filter((target) => ['local', 'cli', 'scripts', 'tests'].includes(areaOf(target))),
            ...packages.filter((name) => isWithin(name, 'lambda-stage')),
          ].map((target) => `${file} -> ${target}`)
        : [],
    ),

  'the stage imports no package of the service': (graph) =>
    [...graph].flatMap(([file, { packages }]) =>
      file.startsWith(STAGE) ? packages.filter(isOurs).map((name) => `${file} -> ${name}`) : [],
    ),

  'the command line opens no store but to migrate: it is a client of the admin API': (graph) =>
    [...graph].flatMap(([file, { imports, packages }]) =>
      areaOf(file) === 'cli' && file !== 'packages/cli/migrate-command.ts'
        ? [
            ...imports.filter((target) =>
              /^lib\/(?:adapters\/(?:dynamodb|secrets|blobs)|app\/compose)\//.test(target),
            ),
            // It finds region and credentials as the SDK does.
            ...packages.filter((name) => name.startsWith('@aws-sdk/') && file !== 'packages/cli/target.ts'),
          ].map((target) => `${file} -> ${target}`)
        : [],
    ),

  'the pure folders import no input and output': (graph) =>
    [...graph].flatMap(([file, { packages }]) =>
      isPure(file)
        ? packages
            .filter((name) => {
              const known = [...pureModules, ...dependenciesOf(file)];
              if (isOurs(name) || known.some((module) => isWithin(name, module))) return false;
              return !(name === 'node:crypto' && hashing.includes(file));
            })
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

  [`no file of fewer than ${MIN_LINES} lines has a single importer`]: (graph) => {
    const importers = new Map<string, string[]>();
    for (const [file, { imports }] of graph)
      for (const target of new Set(imports)) importers.set(target, [...(importers.get(target) ?? []), file]);
    return [...graph].flatMap(([file, { lines, isDeclaration }]) => {
      const [importer = '', ...others] = importers.get(file) ?? [];
      const isAlone = importer !== '' && others.length === 0 && !isEntry(importer);
      return lines < MIN_LINES && isAlone && !isDeclaration && !isEntry(file) && !LOADED_ALONE.test(file)
        ? [`${file} <- ${importer}`]
        : [];
    });
  },

  'a chunk inside the chunk of a plugin brings a package of others': (graph) =>
    [...graph.keys()]
      .filter((file) => file.endsWith('.plugin.ts'))
      .flatMap((file) =>
        [...reach(graph, file)]
          .filter((inner) => inner.endsWith('.chunk.ts') && !bringsPackage(graph, inner))
          .map((inner) => `${file} -> ${inner}`),
      ),

  [`no chain of imports within a package is longer than ${MAX_CHAIN} files`]: (graph) => {
    const chain = findLongestChain(graph, (from, to) => packageOf(from) === packageOf(to));
    return chain.length > MAX_CHAIN ? [chain.join(' -> ')] : [];
  },
};

/** What others import by the name of a package, and what is run or copied: `functions/`, the list of what is installed, the template of plugins. */
const isEntry = (file: string): boolean =>
  areaOf(file) === 'installed' ||
  /^(functions|scripts|packages\/cli\/plugin-template)\//.test(file) ||
  /^nodes\/[^/]+\/(?:index|index\.test|examples)\.ts$/.test(file) || // as `plugin create` writes them
  (areaOf(file) === 'packages' && /^packages\/[^/]+\/(?:testing\/)?[^/]+\.ts$/.test(file));

/** Files of their own in what is deployed. */
const LOADED_ALONE = /\.(?:chunk|plugin|prebuilt)\.ts$/;

/** The files that a file imports, and those that they import. */
const reach = (graph: ImportGraph, file: string, seen = new Set<string>()): ReadonlySet<string> => {
  for (const target of graph.get(file)?.imports ?? []) {
    if (seen.has(target)) continue;
    seen.add(target);
    reach(graph, target, seen);
  }
  return seen;
};

const bringsPackage = (graph: ImportGraph, chunk: string): boolean =>
  [chunk, ...reach(graph, chunk)].some((file) =>
    graph.get(file)?.packages.some((name) => !name.startsWith('node:') && !isOurs(name)),
  );

/** Whether a specifier names a package or a file of it. */
const isWithin = (specifier: string, name: string): boolean =>
  specifier === name || specifier.startsWith(`${name}/`);

/** The longest chain of files each of which imports the next. */
const findLongestChain = (
  graph: ImportGraph,
  counts: (from: string, to: string) => boolean,
): readonly string[] => {
  const chains = new Map<string, readonly string[]>();
  const chainFrom = (file: string): readonly string[] => {
    const known = chains.get(file);
    if (known !== undefined) return known;
    chains.set(file, [file]); // ends a circle, which another rule reports
    const next = (graph.get(file)?.imports ?? []).filter((target) => counts(file, target)).map(chainFrom);
    const longest = next.reduce((best, chain) => (chain.length > best.length ? chain : best), []);
    chains.set(file, [file, ...longest]);
    return [file, ...longest];
  };
  return [...graph.keys()]
    .map(chainFrom)
    .reduce((best, chain) => (chain.length > best.length ? chain : best), []);
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
      'packages/cli <-> packages/local: packages/cli/a.ts -> packages/local/b.ts, packages/local/deep/c.ts -> packages/cli/a.ts',
      {
        'packages/cli/a.ts': "export * from '../local/b.ts'",
        'packages/local/b.ts': '',
        'packages/local/deep/c.ts': "import '../../cli/a.ts'",
      },
    ],
    [
      'no folders import each other',
      'packages/local <-> packages/local/pool: packages/local/a.ts -> packages/local/pool/b.ts, packages/local/pool/c.ts -> packages/local/d.ts',
      { 'packages/local/a.ts': "import './pool/b.ts'", 'packages/local/pool/c.ts': "import '../d.ts'" },
    ],
    [
      'no folders import each other',
      'lib <-> nodes: lib/app/a.ts -> nodes/b.ts, nodes/b.ts -> lib/plugins/c.ts',
      {
        'lib/app/a.ts': "import '../../nodes/b.ts'",
        'nodes/b.ts': "import '../lib/plugins/c.ts'",
        'lib/plugins/c.ts': '',
      },
    ],
    [
      'top-level folders import each other one way, and packages by name',
      'lib/app/a.ts -> nodes/b.ts',
      { 'lib/app/a.ts': "import '../../nodes/b.ts'", 'nodes/b.ts': '' },
    ],
    [
      'imports in lib point one way',
      'lib/workflows/a.ts -> lib/executions/b.ts',
      { 'lib/workflows/a.ts': "let b: import('../executions/b.ts').B" },
    ],
    ['every folder of lib has its place in the order', 'utils', { 'lib/utils/a.ts': '' }],
    [
      'the command line opens no store but to migrate: it is a client of the admin API',
      'packages/cli/a.ts -> lib/adapters/dynamodb/b.ts',
      {
        'packages/cli/a.ts': "export const load = () => import('../../lib/adapters/dynamodb/b.ts')",
        'packages/cli/migrate-command.ts': "import '../../lib/adapters/dynamodb/b.ts'",
        'lib/adapters/dynamodb/b.ts': '',
      },
    ],
    [
      'the command line opens no store but to migrate: it is a client of the admin API',
      'packages/cli/a.ts -> @aws-sdk/client-dynamodb',
      {
        'packages/cli/a.ts': "import '@aws-sdk/client-dynamodb'",
        'packages/cli/target.ts': "import '@aws-sdk/client-dynamodb'",
      },
    ],
    [
      'top-level folders import each other one way, and packages by name',
      'nodes/b/a.ts -> lib/shared/errors.ts',
      { 'nodes/b/a.ts': "import { AppError } from '../../lib/shared/errors.ts'" },
    ],
    [
      'top-level folders import each other one way, and packages by name',
      'packages/cli/a.ts -> packages/linear-regex/src/search.ts',
      { 'packages/cli/a.ts': "import { search } from '../linear-regex/src/search.ts'" },
    ],
    [
      'top-level folders import each other one way, and packages by name',
      'packages/safe-markdown/a.ts -> packages/linear-regex/b.ts',
      { 'packages/safe-markdown/a.ts': "import '../linear-regex/b.ts'" },
    ],
    [
      'the page of the console has types of the service, and of its code what runs in the page',
      'packages/console/src/b.tsx -> lib/shared/errors.ts',
      {
        'packages/console/src/c.ts':
          "import { compile } from '../../../lib/workflows/expressions/compile.ts'",
        'lib/workflows/expressions/compile.ts': '',
        'packages/console/src/a.ts': "import type { AppError } from '../../../lib/shared/errors.ts'",
        'packages/console/src/b.tsx':
          "import { AppError } from '../../../lib/shared/errors.ts'; export const B = () => <AppError />;",
      },
    ],
    [
      'the page of the console has types of the service, and of its code what runs in the page',
      'packages/console/src/a.ts -> @hookloom/metered-quickjs',
      {
        'packages/console/src/a.ts': "import '@hookloom/counted-jsonata'; import '@hookloom/metered-quickjs'",
      },
    ],
    [
      'expressions use nothing that a browser lacks: the page of the console evaluates them, too',
      'packages/counted-jsonata/a.ts',
      {
        'packages/counted-jsonata/a.ts': "export const a = Buffer.from('')",
        'lib/http/b.ts': 'Buffer.from("")',
      },
    ],
    [
      'a package imports what its manifest names',
      'packages/linear-regex/a.ts -> marked',
      { 'packages/linear-regex/a.ts': "import 'marked'" },
    ],
    [
      'what is deployed imports nothing of this machine',
      'functions/a.ts -> packages/local/functions/b.ts',
      { 'functions/a.ts': "import '../packages/local/functions/b.ts'", 'packages/local/functions/b.ts': '' },
    ],
    [
      'what is deployed imports nothing of this machine',
      'functions/a.ts -> lambda-stage/net',
      { 'functions/a.ts': "import 'lambda-stage/net'", 'packages/local/a.ts': "import 'lambda-stage'" },
    ],
    [
      'the stage imports no package of the service',
      `${STAGE}src/a.ts -> @hookloom/plugin-kit`,
      {
        [`${STAGE}src/a.ts`]: "import '@hookloom/plugin-kit'",
        'packages/local/a.ts': "import '@hookloom/plugin-kit'",
      },
    ],
    [
      'the pure folders import no input and output',
      'lib/engine/a.ts -> node:crypto',
      { 'lib/engine/a.ts': "import { randomUUID } from 'node:crypto'" },
    ],
    [
      'nothing evaluates code that came as data',
      'nodes/a.ts uses Function',
      { 'nodes/a.ts': "new Function('a', 'return a')" },
    ],
    [
      'nothing evaluates code that came as data',
      'packages/cli/a.ts -> node:vm',
      { 'packages/cli/a.ts': "import 'node:vm'" },
    ],
    [
      `no file of fewer than ${MIN_LINES} lines has a single importer`,
      'lib/a.ts <- lib/b.ts',
      {
        'lib/a.ts': '',
        'lib/b.ts': "import './a.ts'; import './c.ts'; import './d.chunk.ts'; import './e.ts'",
        'lib/c.ts': '\n'.repeat(MIN_LINES),
        'lib/d.chunk.ts': '',
        'lib/e.ts': 'export const e = defineFeature({})',
      },
    ],
    [
      'a chunk inside the chunk of a plugin brings a package of others',
      'nodes/a.plugin.ts -> nodes/c.chunk.ts',
      {
        'nodes/a.plugin.ts': "import './b.ts'",
        'nodes/b.ts': "import('./c.chunk.ts'); import('./d.chunk.ts')",
        'nodes/c.chunk.ts': "import '@hookloom/plugin-kit'",
        'nodes/d.chunk.ts': "import './e.ts'",
        'nodes/e.ts': "import 'pg'",
      },
    ],
    [
      `no chain of imports within a package is longer than ${MAX_CHAIN} files`,
      Array.from({ length: MAX_CHAIN + 1 }, (_, index) => `lib/${index}.ts`).join(' -> '),
      Object.fromEntries(
        Array.from({ length: MAX_CHAIN + 1 }, (_, index) => [
          `lib/${index}.ts`,
          index === MAX_CHAIN ? '' : `import './${index + 1}.ts'`,
        ]),
      ),
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

  test('keys and declarations with platform names do not count as platform use', () => {
    const text = 'export interface A { process: string }; export const a = { fetch: 1 }; a.process;';
    const graph = readImportGraph({ 'lib/engine/a.ts': text });
    expect(rules['the pure folders see no process, no clock and no chance']?.(graph)).toEqual([]);
  });
});

test('a shared promise is kept by lazy, which forgets a failed one', () => {
  const keepers = Object.keys(sources).filter((file) =>
    /\blet \w+: Promise<.*> \| undefined/.test(sources[file] ?? ''),
  );
  expect(keepers).toEqual(['packages/plugin-kit/tools/lazy.ts']);
});

test('one file sends the queries and scans of stores, and follows their pages', () => {
  const senders = Object.keys(sources).filter(
    (file) =>
      /^(lib|packages\/local|scripts)\//.test(file) && /\bclient\.(query|scan)\(/.test(sources[file] ?? ''),
  );
  // A migration reads items of any version.
  expect(senders.sort()).toEqual([
    'lib/adapters/dynamodb/items.ts',
    'lib/adapters/dynamodb/stored-data/migrate.ts',
  ]);
});

test('the page on architecture lists what lib is made of', () => {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  for (const folder of [...Object.keys(mayImport), 'app']) expect(page).toContain(`${folder}/`);
});

test('the page on architecture names only existing files', () => {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const files = page.match(/\b(lib|nodes|packages|functions)\/[a-z\d/-]+\.ts/g) ?? [];
  expect(files.filter((file) => !project.has(file))).toEqual([]);
});
