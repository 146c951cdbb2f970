import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import jsonata from 'jsonata';
import { compileExpression } from '../../../lib/workflows/expressions/compile-expression.ts';
import {
  describeError,
  evaluateParsed,
  loadNatives,
  parse,
} from '../../../lib/workflows/expressions/language.chunk.ts';
import type { Scope } from '../../../lib/workflows/expressions/scope.ts';
import { compileSimple, NEEDS_JSONATA } from '../../../lib/workflows/expressions/simple-expression.ts';
import { aScope, freezeDeeply } from '../../support/an-expression.ts';
import { cases } from '../../support/deep.ts';

const natives = loadNatives();

/** As text, so that -0 differs from 0 and `__proto__` is a key like others. */
const print = (value: JsonValue | undefined): string =>
  value === undefined ? 'no result' : Object.is(value, -0) ? '-0' : JSON.stringify(value);

const outcomeOf = async (text: string, scope: Scope): Promise<string> => {
  try {
    return print(await compileExpression(text)(scope));
  } catch (error) {
    return (error as Error).message;
  }
};

/** The outcome without closures. */
const outcomeOfEvaluator = async (text: string, scope: Scope): Promise<string> => {
  try {
    return print(evaluateParsed(await natives, parse(text), scope, ''));
  } catch (error) {
    return `{{ ${text} }} failed: ${describeError(error)}`;
  }
};

const symbols = ['+', '-', '*', '/', '%', '&', '=', '!=', '<', '<=', '>', '>='];
const operator = fc.constantFrom(...symbols, ...['in', 'and', 'or'].map((word) => ` ${word} `));
const literal = fc.constantFrom('0', '1', '-1', '2.5', '- 0', '"x"', "''", '"a b"', 'true', 'false', 'null');

/** Random expressions of paths with these names. */
const expressionsOf = (roots: readonly string[], names: readonly string[]) => {
  const path = fc
    .tuple(fc.constantFrom(...roots, ...names), fc.array(fc.constantFrom(...names), { maxLength: 2 }))
    .map(([root, others]) => [root, ...others].join('.'));
  return fc.letrec<{ expression: string }>((tie) => ({
    expression: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      path,
      literal,
      tie('expression').map((inner) => `(${inner})`),
      fc.tuple(tie('expression'), operator, tie('expression')).map((parts) => parts.join('')),
    ),
  })).expression;
};

const objectsOf = (names: readonly string[], minLength: number) => {
  const { object } = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.constantFrom<JsonValue>(0, 1, -1, 2.5, 0.1, 0.30000000000000004, 1e21, 1e308),
      fc.constantFrom<JsonValue>('', 'x', 'a b', '1', null, true, false),
      tie('object'),
      fc.array(tie('value'), { minLength, maxLength: 3 }),
    ),
    object: fc
      .array(fc.tuple(fc.constantFrom(...names), tie('value')), { maxLength: 4 })
      .map((entries) => Object.fromEntries(entries)), // defines: `__proto__` is a key of the data
  }));
  return object;
};

const names = ['a', 'b', '_jsonata_lambda', '__proto__', 'constructor', 'length'];
const expressions = expressionsOf(
  ['$', '$$', '$nodes', '$trigger', '$execution', '`a b`', '$execution.id'],
  names,
);
const scopes = fc
  .tuple(objectsOf([...names, 'a b'], 0), objectsOf(names, 0), objectsOf(names, 0))
  .map(([input, nodes, trigger]) => aScope({ input, nodes, trigger }));

describe('a simple expression', () => {
  test('has the same value or error as from the evaluator', async () => {
    await fc.assert(
      fc.asyncProperty(expressions, scopes, async (text, scope) => {
        expect(compileSimple(text)).not.toBeNull();
        expect(await outcomeOf(text, scope)).toBe(await outcomeOfEvaluator(text, scope));
      }),
      { numRuns: cases(300, 50_000) },
    );
  });

  test('has the same value as from the library', async () => {
    const plain = ['a', 'b', 'c'];
    await fc.assert(
      // The library changes empty lists: it puts a hole into one for which an object is made.
      fc.asyncProperty(expressionsOf(plain, plain), objectsOf(plain, 1), async (text, input) => {
        const found = compileSimple(text)?.(aScope({ input: freezeDeeply(input) as JsonObject }));
        fc.pre(found !== NEEDS_JSONATA);
        const theirs = await jsonata(text).evaluate(input);
        expect(print(found as JsonValue | undefined)).toBe(print(theirs));
      }),
      { numRuns: cases(200, 20_000) },
    );
  });

  test('is accepted by JSONata too, however its tokens are joined', async () => {
    const token = fc.oneof(
      fc.constantFrom(
        'a',
        'b',
        '`a b`',
        '`',
        '"x"',
        "'x'",
        '"',
        '$',
        '$$',
        '$nodes',
        '$x',
        'true',
        'and',
        'in',
      ),
      fc.constantFrom(
        '1',
        '01',
        '1.5',
        '1e3',
        '-',
        '.',
        '..',
        '(',
        ')',
        '[',
        ']',
        '{',
        '}',
        '?',
        ':',
        ',',
        ';',
      ),
      fc.constantFrom(...symbols, '!', '~>', ':=', '**', '^', '@', '#', '|', '/*', '*/', '\\', 'é', '\u00a0'),
      fc.constantFrom(' ', '\n', '\v', '\f', ''),
    );
    const text = fc.array(token, { minLength: 1, maxLength: 6 }).map((tokens) => tokens.join(''));
    await fc.assert(
      fc.asyncProperty(text, scopes, async (soup, scope) => {
        fc.pre(compileSimple(soup.trim()) !== null);
        expect(await outcomeOf(soup, scope)).toBe(await outcomeOfEvaluator(soup.trim(), scope));
      }),
      { numRuns: cases(300, 50_000), maxSkipsPerRun: 1_000 },
    );
  });

  const input: JsonObject = { a: { b: 1 }, name: 'Ada', tags: ['x', 'y'], none: null };

  test.each<[string, JsonValue | undefined]>([
    ['a.b', 1],
    ['$.a.b = $$.a.b', true],
    ['a.b + 1 * 2 - 1', 2],
    ['(a.b + 1) * 2', 4],
    ['0.1 + 0.2 & ""', '0.3'],
    ['"x" & name & missing & null & true', 'xAdanulltrue'],
    ['"x" in tags and not_there != 1 or a.b >= 1', true],
    ['a and name and none = null', true],
    ['missing and 1 or 1', true],
    ['1 or 1 and missing', true],
    ['1 = 1 in tags', false],
    ['$nodes in $nodes', true],
    ['$execution in $execution', false],
    ['missing < 1', undefined],
    ['missing + 1', undefined],
    ['missing', undefined],
    ['none', null],
    ['none.missing', undefined],
  ])('%s is decided without the evaluator', (text, value) => {
    expect(compileSimple(text)?.(aScope({ input }))).toEqual(value);
  });

  test('$nodes is passed as it is now', async () => {
    const nodes: Record<string, JsonValue> = { first: { a: 1 } };
    const found = await compileExpression('$nodes')(aScope({ nodes }));
    nodes.second = { a: 2 };
    expect(found).toEqual({ first: { a: 1 } });
  });

  test.each(['tags.x', 'a = $', 'name < 1', 'name * 2', '1 / 0', 'tags and true', '"" & a', 'none < 1'])(
    '%s is left to the evaluator once its operands are known',
    (text) => {
      expect(compileSimple(text)?.(aScope({ input }))).toBe(NEEDS_JSONATA);
    },
  );

  test.each([
    ['a = b', 1_001, 1_001],
    ['a < b', 1_001, 1],
    ['a & b', 1_001, 1_001],
    ['a in b', 1_001, 1],
  ])('%s over long texts counts against the budget of the evaluator', (text, left, right) => {
    const long = { a: 'x'.repeat(left), b: 'x'.repeat(right) };
    expect(compileSimple(text)?.(aScope({ input: long }))).toBe(NEEDS_JSONATA);
  });

  test('a long list counts against the budget of the evaluator', () => {
    const list = { a: 1, b: Array.from({ length: 1_001 }, () => 0) };
    expect(compileSimple('a in b')?.(aScope({ input: list }))).toBe(NEEDS_JSONATA);
  });

  test.each([`${'('.repeat(499)}1${')'.repeat(499)}`, `1${'+1'.repeat(499)}`])(
    'of the maximum length stays within the evaluator’s depth limit',
    async (text) => {
      expect(compileSimple(text)).not.toBeNull();
      expect(await outcomeOf(text, aScope())).toBe(await outcomeOfEvaluator(text, aScope()));
      expect(compileSimple(`${text}${' '.repeat(1_000)}`)).toBeNull();
    },
  );

  test.each([
    '$sum(a)',
    'a[0]',
    'a ? 1 : 2',
    '[a]',
    '{"a": a}',
    'a ~> $sum',
    '-a',
    'a."b"',
    '"a".b',
    '(a).b',
    'a.(b)',
    'a.true',
    'and',
    'a and',
    '$unknown',
    'a"b"',
    'a and"x"',
    '01',
    '1.',
    '1e3',
    '"\\n"',
    '/a/',
    '%',
    '*',
    'a /* b */',
    '',
    '(',
    '(a',
    'a)',
    '()',
    '`a`b',
  ])('%s is not one', (text) => {
    expect(compileSimple(text)).toBeNull();
  });
});
