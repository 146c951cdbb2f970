import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect, test } from '@jest/globals';

const root = resolve(import.meta.dirname, '..');
const folder = join(root, 'packages/lambda-stage');

const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => !name.includes('node_modules') && statSync(join(folder, name)).isFile())
  .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));

test('the stage knows nothing of the service: not its name', () => {
  expect(files.filter(({ text }) => /hookloom/i.test(text)).map(({ name }) => name)).toEqual([]);
});

test('no file of the stage, its tests included, imports a file of the service', () => {
  const outside = files.flatMap(({ name, text }) =>
    [...text.matchAll(/(?:from|import\()\s*'(\.[^']*)'/g)]
      .map(([, target = '']) => relative(folder, resolve(folder, name, '..', target)))
      .filter((target) => target.startsWith('..'))
      .map((target) => `${name} -> ${target}`),
  );
  expect(outside).toEqual([]);
});
