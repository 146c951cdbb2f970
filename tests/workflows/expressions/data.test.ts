import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import jsonata from 'jsonata';
import { compileExpression, compileTemplate } from '../../../lib/workflows/expressions/compile-expression.ts';
import type { Result } from '../../../lib/workflows/expressions/scope.ts';
import { aScope, evaluateExpression, freezeDeeply } from '../../support/an-expression.ts';
import { cases } from '../../support/deep.ts';

const evaluate = async (text: string, body: JsonValue): Promise<Result> =>
  evaluateExpression(text, { body: freezeDeeply(body) });

/** Keys by which the library, or JavaScript, knows things of its own, and what stands for each in the comparison. */
const marks = [
  '_jsonata_lambda',
  '_jsonata_function',
  'sequence',
  'tupleStream',
  'keepSingleton',
  'cons',
  'outerWrapper',
  'then',
  'next',
  'signature',
  'implementation',
  'arguments',
  'environment',
  'body',
  'input',
  'thunk',
  'apply',
  'arity',
  'length',
  'token',
  'position',
  'type',
  '@',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'toJSON',
  'valueOf',
  'hasOwnProperty',
];
const ordinary = marks.map((_mark, index) => `k${index}k`);
const renamed = new Map(marks.map((mark, index) => [mark, ordinary[index] ?? '']));

/** The same data, and the same texts, with other names for the marks. */
const rename = (value: JsonValue): JsonValue => {
  if (typeof value === 'string') return renamed.get(value) ?? value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(rename);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [renamed.get(key) ?? key, rename(item)]),
  );
};

const { value: anyData } = fc.letrec<{ value: JsonValue; object: JsonObject; list: JsonValue[] }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<JsonValue>(true, true, false, null, 0, 1, 1.5, '', 'x'),
    tie('object'),
    tie('list'),
  ),
  object: fc
    .uniqueArray(fc.tuple(fc.constantFrom(...marks), tie('value')), {
      selector: ([key]) => key,
      maxLength: 4,
    })
    // Entries define: `__proto__` is a key of the data, as it is when a request is parsed.
    .map((entries) => Object.fromEntries(entries)),
  list: fc.array(tie('value'), { maxLength: 3 }),
}));

const expressions = [
  'body',
  '(body)',
  '[body]',
  '{"all": body}',
  'body.*',
  'body.**',
  '$count(**)',
  '$type(body)',
  '$boolean(body)',
  '$not(body)',
  '$exists(body)',
  'body ? "yes" : "no"',
  'body and true',
  '$keys(body)',
  '$spread(body)',
  '$merge([{"a": 1}, body[$type($) = "object"]])',
  '$map([body, 1], function($v) { $v })',
  '$map([body], $type)',
  '$filter([body, 1], function($v) { $boolean($v) })',
  '$reduce([1, body], function($a, $b) { [$a, $b] })',
  '$single([body])',
  '$append(body, [1])',
  '$reverse([body, 1])',
  '$distinct([body, body, 1])',
  '$zip([body], [1])',
  '[body, body, 1]^($type($))',
  '$clone([body])',
  '[body] ~> |$|{"seen": 1}|',
  'body = $clone([body])[0]',
  'body = 1',
  'body != body',
  '1 in [body]',
  '[body].{"one": $}',
  '[[body]]',
  '[body, 1]{$type($): $}',
  '[body, 1]@$v.{"v": $v}',
  '[body, 1]#$i.{"i": $i}',
  'body.{"up": %.$type($)}',
  '($v := body; $v)',
  'body[0]',
  'body[-1]',
  'body[]',
  'body[true]',
  'body ~> $type',
  '(function($v) { $v })(body)',
  '$each(body[$type($) = "object"], function($v, $k) { {"key": $k, "value": $v} })',
  '$sift(body[$type($) = "object"], function($v) { true })',
  '$each(body[$type($) = "object"], function($v, $k) { {$k: $v} })',
  '[body][$type($) = "object"]{$keys($)[0]: 1}',
];

describe('data is data, whatever its keys', () => {
  // holds: data-is-never-code
  test.each(expressions)('%s has the same result as with ordinary keys', async (text) => {
    await fc.assert(
      fc.asyncProperty(anyData, async (body) => {
        const outcome = async (data: JsonValue) => evaluate(text, data).catch(() => 'it fails');
        const marked = await outcome(body);
        const expected = JSON.stringify(await outcome(rename(body)));
        expect(marked === undefined ? marked : JSON.stringify(rename(marked))).toBe(expected);
      }),
      { numRuns: cases(15, 100) },
    );
  });

  test('a text built from it has all of it', async () => {
    await fc.assert(
      fc.asyncProperty(anyData, async (body) => {
        const written = (await evaluate('$string({"all": body})', body)) as string;
        expect(JSON.stringify(JSON.parse(written))).toBe(JSON.stringify({ all: body }));
        const within = await compileTemplate('-{{ {"all": body} }}')?.(
          aScope({ input: { body: freezeDeeply(body) } }),
        );
        expect(within).toBe(`-${JSON.stringify({ all: body })}`);
      }),
      { numRuns: cases(100, 500) },
    );
  });

  test.each([
    ['$string(body)', '{"k":{"_jsonata_lambda":true,"x":1}}'],
    ['$boolean(body.k)', true],
    ['$type(body.k)', 'object'],
    ['body.k.x', 1],
    ['$keys(body.k)', ['_jsonata_lambda', 'x']],
    ['$string({"_jsonata_function": true})', '{"_jsonata_function":true}'],
  ])('%s', async (text, value) => {
    expect(await evaluate(text, { k: { _jsonata_lambda: true, x: 1 } })).toEqual(value);
  });

  test.each(['body.k()', 'body.k.f(1)', '$map([1], body.k)', '1 ~> body.k', '$replace("a", "a", body.k)'])(
    '%s does not call what only looks like a function',
    async (text) => {
      const k = {
        _jsonata_lambda: true,
        _jsonata_function: true,
        implementation: 'x',
        body: { type: 'value', value: 1 },
        arguments: [],
        f: { _jsonata_function: true },
      };
      await expect(evaluate(text, { k })).rejects.toThrow(/non-function|does not match|must be a function/);
    },
  );

  test.each(['$ ~> |$nodes|{"mine": true}|', '$ ~> |$$.body|{"mine": true}|', '$ ~> |$trigger|{}, "a"|'])(
    '%s changes only its copy',
    async (text) => {
      const given = {
        ...aScope({ input: { body: { a: 1 } } }),
        nodes: Object.assign(Object.create(null), { a: { b: 1 } }),
        trigger: { a: 1 },
      };
      const before = JSON.stringify(given);
      await expect((async () => compileExpression(text)(given))()).rejects.toThrow(
        'the copy that it changes',
      );
      expect(JSON.stringify(given)).toBe(before);
    },
  );

  test('a function is never printed', async () => {
    await expect(evaluate('$replace("a", "a", $uppercase)', {})).rejects.toThrow('with a non-string value');
    expect(await evaluate('$string($uppercase)', {})).toBe('');
    expect(await evaluate('$string([$uppercase, function($x) { $x }, /a/])', {})).toBe('["","",""]');
  });
});

/** An item without a result, of which JSON would make null, is left out. */
const withoutHoles = (_key: string, value: unknown): unknown =>
  Array.isArray(value) ? value.filter((item) => item !== undefined) : value;

describe('our evaluator and the library’s', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd');
  const { value: plainData } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom<JsonValue>(true, false, null, 0, 1, 2, -1, 1.5, '', 'x', 'a b', '2026-01-02'),
      fc.dictionary(name, tie('value'), { noNullPrototype: true, maxKeys: 4 }),
      // The library changes empty lists: it puts a hole into one for which an object is made.
      fc.array(tie('value'), { minLength: 1, maxLength: 4 }),
    ),
  }));

  const ofBoth = [
    ...expressions,
    'body.a',
    'body.a.b',
    'body.a[]',
    'body.a.b[]',
    'body.(a + b)',
    'body.a[b = 1].c',
    'body.a[0].b',
    'body.a[[0, -1]]',
    'body[a]',
    'body.[a, b]',
    'body.{"x": a, "y": b.c}',
    'body{$string(a): b}',
    'body.a{$type($): $count($)}',
    'body.a^(b)',
    'body.a^(>b, c).d',
    'body.a@$x.body.b@$y[$x = $y].{"x": $x}',
    'body.a#$i[$i < 1]',
    'body.a.b.{"p": %.c}',
    'body.a.**.b',
    'body.a & "-" & body.b',
    'body.a + body.b * 2 - -body.c',
    'body.a < body.b',
    'body.a = body.b',
    'body.a != body.b',
    'body.a in body.b',
    'body.a and body.b or body.c',
    '[1..body.a]',
    '[body.a..body.b]',
    'body.a ? body.b : body.c',
    'body.a ?: body.b',
    'body.a ?? body.b',
    '($a := body.a; $f := function($x, $y) { [$x, $y, $a] }; $f(body.b))',
    '$max(body.a)',
    '$count(body.a)',
    '$number(body.a)',
    '$round(body.a, 1)',
    '$power(body.a, 2)',
    '$sqrt(body.a)',
    '$formatBase(body.a, 2)',
    '$formatNumber(body.a, "#0.00")',
    '$formatInteger(body.a, "w")',
    '$string(body)',
    '$string(body, true)',
    '$uppercase(body.a)',
    '$length(body.a)',
    '$substring(body.a, 1)',
    '$substring(body.a, -2, 1)',
    '$substringBefore(body.a, " ")',
    '$substringAfter(body.a, " ")',
    '$trim(body.a)',
    '$pad(body.a, -5, "ab")',
    '$contains(body.a, "a")',
    '$contains(body.a, /[a-x]/)',
    '$match(body.a, /(\\d+)-?/)',
    '$replace(body.a, /(\\w)( )?/, "$2$1$$")',
    '$replace(body.a, "a", "b")',
    '$replace(body.a, /\\w/, function($m) { $m.match & $m.start })',
    '$split(body.a, " ")',
    '$split(body.a, /[- ]/, 2)',
    '$join(body.a, ",")',
    '$sort(body.a)',
    '$sort(body.a, function($l, $r) { $string($l) > $string($r) })',
    '$map(body.a, function($v, $i, $all) { [$i, $count($all)] })',
    '$filter(body.a, function($v, $i) { $i < 1 })',
    '$reduce(body.a, function($l, $r) { $string($l) & $string($r) }, "")',
    '$lookup(body, "a")',
    '$lookup(body.a, "b")',
    '$keys(body.a)',
    '$spread(body.a)',
    '$merge(body.a)',
    '$append(body.a, body.b)',
    '$zip(body.a, body.b)',
    '$distinct(body.a)',
    '$toMillis(body.a)',
    '$toMillis(body.a, "[Y0001]-[M01]-[D01]")',
    '$fromMillis(body.a, "[D1o] [MNn] [Y] [h#1]:[m01] [P]")',
    '$base64encode(body.a)',
    '$encodeUrlComponent(body.a)',
    '$map(body.a[$type($) = "string"], $substring(?, 0, 1))',
    'body.a ~> $count() ~> $string()',
    '(body.a ~> $map(function($x) { $x }))[0]',
    '$ ~> |body|{"new": a}, ["b"]|',
    '$ ~> |body.a|{"b": 1}|',
    'body.a.$type($)',
    'body.*[0]',
    'body.*.a',
    '*.*',
  ];

  test.each(ofBoth)('give the same result for %s', async (text) => {
    const reference = jsonata(text, { sequence: 1_000_000 });
    await fc.assert(
      fc.asyncProperty(plainData, async (body) => {
        const own = await evaluate(text, structuredClone(body)).catch(() => 'it fails');
        const theirs = await reference
          .evaluate({ body })
          .then((found) => (found === undefined ? found : JSON.parse(JSON.stringify(found, withoutHoles))))
          .catch(() => 'it fails');
        expect(own).toStrictEqual(theirs);
      }),
      { numRuns: cases(15, 100) },
    );
  });
});
