import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';

/** Which folders of lib/ each folder may import from. The composition files in lib/ itself may import all of them. */
const mayImport: Record<string, readonly string[]> = {
  contract: [],
  blobs: [],
  credentials: ['contract'],
  workflows: ['contract'],
  executions: ['contract', 'workflows', 'blobs'],
  durable: ['contract', 'executions', 'blobs'],
  callbacks: ['contract', 'executions'],
  events: ['contract', 'executions'],
  aws: ['executions', 'blobs', 'events'],
  nodes: ['contract', 'services'],
  plugins: ['contract'],
  process: ['contract', 'executions'],
  services: ['contract'],
  http: ['contract'],
  webhooks: ['contract', 'workflows', 'executions', 'credentials', 'blobs'],
  dynamodb: ['contract', 'workflows', 'executions', 'credentials', 'webhooks'],
};

/** What the pure folders must not see, whoever offers it. */
const pureFolders = ['contract', 'workflows', 'executions', 'plugins'];
const impure =
  /@aws-sdk|@middy|process\.env|Date\.now\(|new Date\(\)|performance\.now|setTimeout\(|Math\.random/;

/** Evaluating code that came as data: nowhere. */
const evaluation = /\beval\(|new Function\(|from 'node:vm'/;

const root = resolve(import.meta.dirname, '..');

const sourceFiles = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));

const importsOf = (file: string): string[] =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(
    ([, target = '']) => relative(root, resolve(root, file, '..', target)),
  );

describe('imports point one way', () => {
  test.each(Object.entries(mayImport))('lib/%s imports only what it may', (folder, allowed) => {
    const places = [folder, ...allowed].map((name) => `lib/${name}/`);
    const wrong = sourceFiles(`lib/${folder}`).flatMap((file) =>
      importsOf(file)
        .filter((target) => target !== 'lib/errors.ts' && !places.some((place) => target.startsWith(place)))
        .map((target) => `${file} -> ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  test('every folder of lib has its rule', () => {
    const folders = readdirSync(join(root, 'lib'), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    expect(folders.map(({ name }) => name).sort()).toEqual(Object.keys(mayImport).sort());
  });

  test('plugins are written against the contract alone', () => {
    const wrong = sourceFiles('plugins')
      .filter((file) => file !== 'plugins/installed.ts')
      .flatMap(importsOf)
      .filter((target) => !target.startsWith('lib/contract/') && !target.startsWith('plugins/'));
    expect(wrong).toEqual([]);
  });
});

describe('the core is pure', () => {
  test.each(pureFolders)('lib/%s sees no AWS, no middleware, no environment, no clock', (folder) => {
    const wrong = sourceFiles(`lib/${folder}`).filter((file) =>
      impure.test(readFileSync(join(root, file), 'utf8')),
    );
    expect(wrong).toEqual([]);
  });

  test('nothing evaluates code that came as data', () => {
    const files = ['lib', 'functions', 'plugins', 'cli'].flatMap(sourceFiles);
    expect(files.filter((file) => evaluation.test(readFileSync(join(root, file), 'utf8')))).toEqual([]);
  });
});
