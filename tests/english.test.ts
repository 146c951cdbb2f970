import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { sourceFolders } from './support/import-graph.ts';
import { projectRoot } from './support/run-command.ts';

/** Phrases of translations, and what a native writer puts in their place. */
const phrases: Readonly<Record<string, string>> = {
  'that of': 'name the thing',
  'what is behind': 'name the thing',
  'goes on': 'continues',
  'go on with': 'continue with',
  'is of another': 'has a different',
  'are of another': 'have a different',
  'is gone': 'no longer exists',
  'are gone': 'no longer exist',
  'as far as': 'if, or name what is meant',
  'at the most': 'at most',
  'held against': 'tested against, checked against',
  'lets loose': 'throws, does not handle',
  'is taken back': 'is removed',
  'are taken back': 'are removed',
  'can not': 'cannot',
  'for who': 'for those who',
  'puts right': 'fixes',
  'is no map': 'must be a JSON object',
  'for want of': 'because … is missing',
  'puts out': 'outputs',
  'hands on': 'passes on',
  'such as of': 'such as the one from',
  'is no text': 'is not text',
  'are no text': 'are not text',
  'whatever for': 'for any reason',
  'takes no notice': 'ignores',
  'take no notice': 'ignore',
  'side by side': 'concurrently',
  'and what is behind it': 'and what follows it',
};

const found = new RegExp(`(?<![a-zA-Z-])(?:${Object.keys(phrases).join('|')})(?![a-zA-Z-])`, 'gi');

const findPhrases = (text: string): string[] =>
  [...text.replaceAll(/\n\s*(?:\*|\/\/)?\s*/g, ' ').matchAll(found)].map(([phrase]) => phrase);

const folders = [...sourceFolders, 'docs'];
const files = [
  'README.md',
  'serverless.yml',
  ...folders.flatMap((folder) =>
    readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
      .filter(
        (name) =>
          /\.(?:tsx?|js|md)$/.test(name) && !name.includes('/tests/') && !name.includes('node_modules'),
      )
      .map((name) => join(folder, name)),
  ),
];

test('texts, comments and docs have no phrases of a translation', () => {
  expect(
    files.flatMap((file) =>
      findPhrases(readFileSync(join(projectRoot, file), 'utf8')).map((phrase) => `${file}: ${phrase}`),
    ),
  ).toEqual([]);
});

/** The titles of tests and of their cases. */
const findTitles = (test: string): string =>
  [...test.matchAll(/(?:\b(?:test|describe)\(|\)\(|\[)\s*'((?:[^'\\\n]|\\.)+)'/g)]
    .map(([, title]) => title)
    .join('\n');

const tests = ['tests', 'packages'].flatMap((folder) =>
  readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter(
      (name) => name.endsWith('.test.ts') && name !== 'english.test.ts' && !name.includes('node_modules'),
    )
    .map((name) => join(folder, name)),
);

test('titles of tests have no phrases of a translation', () => {
  expect(tests.length).toBeGreaterThan(100);
  expect(
    tests.flatMap((file) =>
      findPhrases(findTitles(readFileSync(join(projectRoot, file), 'utf8'))).map(
        (phrase) => `${file}: ${phrase}`,
      ),
    ),
  ).toEqual([]);
});

test('the changes of the next release have no phrases of a translation', () => {
  const [, unreleased = ''] = readFileSync(join(projectRoot, 'CHANGELOG.md'), 'utf8').split('\n## ');
  expect(unreleased).toMatch(/^Unreleased\n/);
  expect(findPhrases(unreleased)).toEqual([]);
});

const pages = files.filter((file) => /^docs\/[^/]+\.md$/.test(file));

test.each(pages)('the first sentence of %s says what the page is for', (page) => {
  expect(readFileSync(join(projectRoot, page), 'utf8')).toMatch(/^# .+\n\nThis page /);
});

describe('a phrase is found', () => {
  test.each([
    ['over two lines of a comment', '/**\n * The time is that\n * of the server.\n */'],
    ['over two lines of a page', 'The run goes\non.'],
    ['at the beginning', 'As far as it is known'],
  ])('%s', (_case, text) => {
    expect(findPhrases(text)).toHaveLength(1);
  });

  test.each([
    ['of a test', "test('is gone', () => {})"],
    ['after a table', "test.each([1])('is gone', () => {})"],
    ['of a case', "test.each([\n  ['is gone', 1]])"],
  ])('in the title %s', (_case, text) => {
    expect(findPhrases(findTitles(text))).toHaveLength(1);
  });

  test('is not matched within a word', () => {
    expect(findPhrases('what offers; cargoes once')).toEqual([]);
  });
});
