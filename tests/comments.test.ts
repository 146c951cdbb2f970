import { resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { findCommentFaults } from './support/comments.ts';
import { readSources, sourceFolders } from './support/import-graph.ts';

test('comments are valid TSDoc, name real parameters and use plain technical words', () => {
  const root = resolve(import.meta.dirname, '..');
  expect(findCommentFaults(readSources(root, sourceFolders))).toEqual([]);
});

describe('a comment is at fault', () => {
  const faultsIn = (text: string) => findCommentFaults({ 'a.ts': text });

  test.each([
    ['a type in braces', '/** @throws {Error} when it is late */\nf();', 'tsdoc-malformed-inline-tag'],
    ['a brace', '/** `a` or } */\nf();', 'tsdoc-escape-right-brace'],
    ['a greater-than sign', '/** a -> b */\nf();', 'tsdoc-escape-greater-than'],
    ['a scope of packages', '/** Of @aws-sdk/client. */\nf();', 'tsdoc-characters-after-block-tag'],
    ['a tag that TSDoc does not have', '/** @rejects late */\nf();', 'tsdoc-undefined-tag'],
    ['a parameter without a hyphen', '/** @param a text */\nconst f = (a) => a;', 'missing-hyphen'],
    ['an unknown parameter', '/** @param b - text */\nexport const f = (a) => a;', 'signature (a)'],
    ['a parameter of no function', '/** @param b - text */\nconst f = 1;', 'signature ()'],
    ['"Rejects with"', '/** Rejects with an error. */\nf();', '"Rejects with" is @throws'],
    ['a word of a story', '// Nobody knows.\nf();', '"Nobody" belongs to a story'],
    ['a phrase of a story', '/* What it came to. */\nf();', '"came to" belongs to a story'],
  ])('with %s', (_, text, fault) => {
    expect(faultsIn(text).join('\n')).toContain(fault);
  });

  test('at its own line number', () => {
    expect(faultsIn('const a = 1;\n\n/**\n * The number\n * that tells it.\n */\nconst b = 2;')).toEqual([
      'a.ts:5: "tells" belongs to a story',
    ]);
  });
});

test.each([
  ['a function', '/** @param a - text */\nexport function f(a: string) {}'],
  ['a method of a class', 'class A {\n  /** @param a - text */\n  constructor(readonly a: string) {}\n}'],
  ['a method of an interface', 'interface A {\n  /** @param a - text */\n  f(a?: string): void;\n}'],
  ['a property of an interface', 'interface A {\n  /** @param a - text */\n  readonly f: (a: 1) => 2;\n}'],
  ['a function type', '/** @param a - text */\ntype F = (...a: string[]) => void;'],
  ['a destructured parameter', '/** @param a - text */\nconst f = ({ a = 1, ...rest }, b = 2) => a;'],
])('a parameter of %s may be described', (_, text) => {
  expect(findCommentFaults({ 'a.ts': text })).toEqual([]);
});
