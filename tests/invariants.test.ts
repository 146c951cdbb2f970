import { resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readSources, type Sources } from './support/import-graph.ts';

/** Where invariants are numbered, by their letter. */
const FOLDERS = { S: 'lib/engine', B: 'lib/executions/lifecycle', N: 'lib/health/notices' } as const;

/** The ids of invariants at the heads of files: `// S1: A node starts …`. */
const findNumbered = (sources: Sources): string[] =>
  Object.values(sources).flatMap((text) => {
    const [head = ''] = text.split('\n\n', 1);
    return [...head.matchAll(/^\/\/ ([SBN]\d+): /gm)].map(([, id = '']) => id);
  });

/** The ids in `// holds: S1, B2` directly above a test. Those of words are promises of the docs. */
const findCited = (sources: Sources): string[] =>
  Object.values(sources).flatMap((text) =>
    [...text.matchAll(/^ *\/\/ holds: (.+)\n(?=(?: *\/\/.*\n)* *(?:test|describe)\b)/gm)]
      .flatMap(([, ids = '']) => ids.split(', '))
      .filter((id) => /^[SBN]\d+$/.test(id)),
  );

const root = resolve(import.meta.dirname, '..');
const cited = findCited(readSources(root, ['tests', 'packages']));

describe.each(Object.entries(FOLDERS))('the invariants %s', (letter, folder) => {
  const numbered = findNumbered(readSources(root, [folder])).sort(
    (one, other) => Number(one.slice(1)) - Number(other.slice(1)),
  );

  test('are numbered from 1, each once', () => {
    expect(numbered.length).toBeGreaterThan(0);
    expect(numbered).toEqual(numbered.map((_, at) => `${letter}${at + 1}`));
  });

  test('are each cited by a test, and tests cite no others', () => {
    const own = new Set(cited.filter((id) => id.startsWith(letter)));
    expect([...own].sort()).toEqual(numbered.toSorted());
  });
});

test('an invariant counts only at the head of its file, and a citation only directly above a test', () => {
  const ids = (text: string) => [findNumbered({ 'a.ts': text }), findCited({ 'a.ts': text })];
  expect(ids('// Invariants of a; tests cite them.\n// S1: a is b.\n// B12: b is c.\n\n// S2: c')).toEqual([
    ['S1', 'B12'],
    [],
  ]);
  expect(ids("  // holds: S1, no-2xx-without-run, B2\n  // Why.\n  test.each([])('a', () => {});")).toEqual([
    [],
    ['S1', 'B2'],
  ]);
  expect(ids("// holds: S1\n\ntest('a', () => {});\n// holds: S2\nconst a = 1;")).toEqual([[], []]);
});
