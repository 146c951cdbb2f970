import { describe, expect, test } from '@jest/globals';
import { parse } from '../src/parse.ts';
import { compare, ours } from './an-evaluation.ts';

/** Calls of each kind, with each of the arguments in the place of `%`. */
const calls: Readonly<Record<string, readonly [arguments_: readonly string[], calls: readonly string[]]>> = {
  texts: [
    ['"hello"', '""', '"añ😀x"', '" a  b\t"', 'missing', '5', '["a", "b"]', 'null'],
    [
      '$length(%)',
      '$uppercase(%)',
      '$trim(%)',
      '$string(%)',
      '$number(%)',
      '$split(%, "l")',
      '$substring(%, 0)',
      '$substring(%, 2)',
      '$substring(%, -2)',
      '$substring(%, -2, 1)',
      '$substring(%, 9)',
      '$substring(%, 1, 0)',
      '$substring(%, -9, 3)',
      '$substring(%, 3, 1)',
      '$substring(%, -3, 5)',
      '$substringBefore(%, "l")',
      '$substringAfter(%, "l")',
      '$substringAfter(%, "llo")',
      '$pad(%, 7)',
      '$pad(%, -7, "ab")',
      '$pad(%, 7, "😀")',
      '$pad(%, 7.9, "")',
      '$pad(%, 5)',
      '$pad(%, 0)',
      '$join(%, "-")',
      '$encodeUrl(%)',
      '$encodeUrlComponent(%)',
      '$contains(%, "l")',
      '$split(%, "", 2)',
      '$split(%, "l", 0)',
      '$split(%, "l", 1.5)',
      '$split(%, /l/, 1)',
      '$split(%, /l/, 0)',
      '$replace(%, "l", "L", 0)',
      '$replace(%, "l", "L", 1)',
      '$replace(%, /l/, "L", 1)',
    ],
  ],
  replacements: [
    ['"$"', '"$$"', '"$0"', '"$1"', '"$2"', '"$12"', '"$10"', '"$3a"', '"$x"', '"a$"', '"$11$1"', '"$99"'],
    [
      '$replace("abc", /b/, %)',
      '$replace("abc", /(b)/, %)',
      '$replace("abab", /(a)(b)/, %)',
      '$replace("abcdefghijklm", /(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)(l)/, %)',
    ],
  ],
  numbers: [
    ['0', '2.5', '-2.5', '3.5', '-0.4', '1e21', '123.456', '1.005', 'missing', '"7"', 'true', '5e-7'],
    [
      '$abs(%)',
      '$floor(%)',
      '$ceil(%)',
      '$round(%)',
      '$round(%, 1)',
      '$round(%, 2)',
      '$round(%, -1)',
      '$sqrt(%)',
      '$power(%, 2)',
      '$power(2, %)',
      '$formatBase(%)',
      '$formatBase(%, 2)',
      '$formatBase(35, %)',
      '$string(%)',
      '$number(%)',
      '$sum([%, 1])',
      '$max([%, 1])',
      '$min([%, 1])',
      '$average([%, 1])',
      '-%',
    ],
  ],
  lists: [
    [
      '[]',
      '[3]',
      '[3, 1, 2]',
      '["b", "a"]',
      '[1, "a"]',
      '7',
      'missing',
      '[[1], [2, 3]]',
      '[{"a": 1}, {"b": 2}]',
    ],
    [
      '$count(%)',
      '$sum(%)',
      '$max(%)',
      '$min(%)',
      '$average(%)',
      '$reverse(%)',
      '$sort(%)',
      '$distinct(%)',
      '$append(%, 1)',
      '$append(1, %)',
      '$append(%, %)',
      '$zip(%, [1, 2])',
      '$zip(%)',
      '$zip(%, %, [9])',
      '$map(%, $string)',
      '$map(%, function() { 1 })',
      '$filter(%, function($v, $i) { $i > 0 })',
      '$map(%, function($v, $i, $a) { $i = 1 ? $count($a) })',
      '$each(%, function($v) { $v })',
      '$single(%)',
      '$single(%, function($v, $i) { $i = 0 })',
      '$single(%, function($v, $i, $a) { $a = 1 })',
      '$reduce(%, function($a, $b) { $string($a) & $string($b) })',
      '$reduce(%, $append, [])',
      '$reduce(%, function($a, $b, $i, $l) { $i + $count($l) })',
      '$reduce(%, function($a, $b) { $a }, 0)',
      '$sort(%, function($a, $b) { $string($a) > $string($b) })',
      '$boolean(%)',
      '$not(%)',
      '$exists(%)',
      '$keys(%)',
      '$spread(%)',
      '$merge(%)',
      '$lookup(%, "a")',
      '$type(%)',
      '$string(%)',
      '$clone(%)',
      '% ~> |$[$type($) = "object"]|{"c": 3}|',
      '% ~> |$|{}, "a"|',
      '% ~> |missing|{}|',
      '% ~> |$|missing, missing|',
    ],
  ],
  functions: [
    [
      'function($a) { $a }',
      'function($a, $b) { $b }',
      'function() { 1 }',
      '$string',
      '$append(?, 2)',
      '5',
      'missing',
      '$sum ~> $string',
      'function($a)<n:n> { $a }',
      'function($a)<s-:s> { $a }',
    ],
    [
      '(%)(1)',
      '(%)("a", 2)',
      '1 ~> (%)',
      '"a" ~> (%)',
      '$map([1, 2], %)',
      '$type(%)',
      '$string([%])',
      '"c".(%)()',
    ],
  ],
};

describe('a function has the same value or error as the library’s', () => {
  test.each(Object.keys(calls))('for all kinds of %s', async (kind) => {
    const [given = [], texts = []] = calls[kind] ?? [];
    await compare(
      texts.flatMap((text) => given.map((one) => text.replaceAll('%', () => one))),
      {},
    );
  });
});

describe('a matcher in the place of a pattern', () => {
  const matcher = (fields: string) => `function($t, $at) { ${fields} }`;

  test.each([
    [
      '$match("abc", ?)',
      '{"match": "b", "start": 1, "end": 2, "groups": ["x"], "next": function() { missing }}',
    ],
    [
      '$split("abc", ?)',
      '{"match": "b", "start": 1, "end": 2, "groups": [], "next": function() { missing }}',
    ],
    [
      '$replace("abc", ?, "-")',
      '{"match": "b", "start": 1, "end": 2, "groups": [], "next": function() { missing }}',
    ],
    ['$contains("abc", ?)', 'missing'],
    ['$contains("abc", ?)', '{"start": 1}'],
    ['$contains("abc", ?)', '{"groups": []}'],
    ['$contains("abc", ?)', '{"next": function() { missing }}'],
    ['$match("abc", ?)', '{"match": "b", "start": 1, "groups": [], "next": function($x) { $x }}'],
    ['$contains("abc", ?)', '{"match": "b"}'],
    ['$match("abc", ?)', '5'],
  ])('%s of %s is as in the library', async (call, fields) => {
    await compare([call.replace('?', () => matcher(fields))], {});
  });
});

test.each([
  ['$contains("abc", ?)', '{"end": 1}', 'true'],
  ['$match("abc", ?)', '{"start": 1, "next": function() { missing }}', '{"match":"","index":1,"groups":[]}'],
  [
    '$match("abc", ?)',
    '{"match": 5, "start": 1, "next": function() { missing }}',
    '{"match":"","index":1,"groups":[]}',
  ],
  ['$split("abc", ?)', '{"match": "b", "start": 1, "next": function() { missing }}', '["a","c"]'],
])('%s has defaults for what is missing in %s', (call, fields, expected) => {
  expect(ours(call.replace('?', () => `function($t) { ${fields} }`))).toBe(expected);
});

test.each([
  ['/a**/', /^(?!.*character)/],
  ['a[', /character \d+/],
  ['$eval("1")', /\$eval is not available/],
  ['$replace(a, /(?=b)/, "")', /the pattern .*\(character \d+\)/],
  ['/a/ ?: 1', /cannot stand on the left/],
])('%s is refused when it is parsed', (text, message) => {
  expect(() => parse(text)).toThrow(message);
});

test('the variables of an expression are known', () => {
  expect([...parse('$x + $sum($y[$z = 1].($ + $$.a))').variables].sort()).toEqual([
    '',
    '$',
    'sum',
    'x',
    'y',
    'z',
  ]);
});

test('a function is the same value wherever it is named', () => {
  expect(ours('[$sum = $sum, $sum in [$sum], $sum = $max, $count($distinct([$sum, $sum, $max]))]')).toBe(
    '[true,true,false,2]',
  );
});

test('the first step is evaluated for an empty list as well if it is a list', async () => {
  await compare(['[1, 2].($ + 1)', 'a.b'], []);
});

test('steps, partial functions and signatures have the same value at their edges', async () => {
  const texts = [
    'lists[$count($) = 2].$count($)',
    'missing[true].(1)',
    'missing[false].(1)',
    'missing[true].**',
    'nested.(a.b).%',
    'person.(born).%.name',
    'orders.(tags).%.id',
    '$reduce([1, 2], $append(?, 1))',
    '(function($a)<s:s> { 1 })()',
    'none.tags#$i{"k": 1}',
    '$boolean($match("a", /(x)?a/).groups)',
    '(function($a, $b, $c)<sn?a:s> { $exists($c) })("x", [1])',
  ];
  const orders = [
    { id: 1, tags: ['a', 'b'] },
    { id: 2, tags: ['c'] },
  ];
  const person = { name: 'Ada', born: { year: 1815 } };
  await compare(texts, { none: [], lists: [[1, 2], [3]], nested: { a: { b: { c: 1 } } }, person, orders });
});
