import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { compileJsonSchema } from '../src/compile-json-schema.ts';

/** A schema of https://github.com/json-schema-org/JSON-Schema-Test-Suite, with values. */
interface Group {
  readonly file: string;
  readonly description: string;
  readonly schema: object | boolean;
  readonly tests: readonly {
    readonly description: string;
    readonly data: unknown;
    readonly valid: boolean;
  }[];
}

/** A clone of the suite, whose newest cases also run; without it, those of draft 7 that are kept here do. */
const { JSON_SCHEMA_SUITE: clone = '' } = process.env;

const readKept = (): Group[] =>
  readFileSync(join(import.meta.dirname, 'draft7-suite.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1) // the licence
    .map((line) => JSON.parse(line));

/** The required cases of a draft, and its formats. */
const readClone = (draft: string): Group[] =>
  ['', 'optional/format'].flatMap((folder) =>
    readdirSync(join(clone, 'tests', draft, folder))
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => {
        const file = join(folder, name.replace('.json', ''));
        const groups: Omit<Group, 'file'>[] = JSON.parse(
          readFileSync(join(clone, 'tests', draft, folder, name), 'utf8'),
        );
        return groups.map((group) => ({ ...group, file }));
      }),
  );

const outcomeOf = (group: Group, value: unknown, $schema: string): string => {
  const schema = typeof group.schema === 'boolean' ? { allOf: [group.schema] } : group.schema;
  try {
    return compileJsonSchema({ $schema, ...schema })(value).length === 0 ? 'valid' : 'invalid';
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return `refused: ${error.message}`;
  }
};

/** What is refused on purpose: keywords and formats without a check, and schemas that are elsewhere. */
const REFUSED = /patternProperties|\$dynamicRef|the format "(?:idn-|iri)|Unresolved \$ref/;

/** The README says why. */
const ON_PURPOSE: readonly RegExp[] = [
  /^format: .* is only an annotation by default$/,
  /^vocabulary: /,
  /^ref: order of evaluation: \$id and \$anchor and \$ref: data is valid against first definition$/,
  /^ref: \$ref prevents a sibling \$id from changing the base uri: /,
  /^optional\/format\/(?:uri|uri-reference): /,
];

const findDiffering = (groups: readonly Group[], $schema: string): string[] =>
  groups.flatMap((group) =>
    group.tests.flatMap(({ description, data, valid }) => {
      const name = `${group.file}: ${group.description}: ${description}`;
      const outcome = outcomeOf(group, data, $schema);
      const isExpected = outcome === (valid ? 'valid' : 'invalid') || REFUSED.test(outcome);
      return isExpected || ON_PURPOSE.some((pattern) => pattern.test(name)) ? [] : [`${name}: ${outcome}`];
    }),
  );

const DRAFT_7 = 'http://json-schema.org/draft-07/schema#';

test('the kept cases of draft 7 are checked as the suite says, or refused', () => {
  const groups = readKept();
  expect(groups.flatMap(({ tests }) => tests).length).toBeGreaterThan(400);
  expect(findDiffering(groups, DRAFT_7)).toEqual([]);
});

test('what is refused are patternProperties and schemas elsewhere', () => {
  const refused = readKept().filter((group) => outcomeOf(group, null, DRAFT_7).startsWith('refused'));
  expect([...new Set(refused.map(({ file }) => file))]).toEqual([
    'additionalProperties',
    'definitions',
    'patternProperties',
    'properties',
    'ref',
    'refRemote',
  ]);
});

(clone === '' ? describe.skip : describe)('the newest cases', () => {
  test.each([
    ['draft7', DRAFT_7],
    ['draft2020-12', 'https://json-schema.org/draft/2020-12/schema'],
  ])('of %s are checked as the suite says, or refused', (draft, $schema) => {
    expect(findDiffering(readClone(draft), $schema)).toEqual([]);
  });
});
