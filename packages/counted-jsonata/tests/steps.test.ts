import { describe, expect, test } from '@jest/globals';
import { ours, stepsOf } from './an-evaluation.ts';

const count = (length: number): number[] => Array.from({ length }, (_, index) => index);
const members = () => Object.fromEntries(count(64).map((at) => [`k${at}`, at]));
const text = 'abcdefgh'.repeat(128);

/** Enough of each kind that what is not counted is noticed. */
const input = {
  list: count(64),
  equal: count(64),
  ones: count(64).map((at) => (at === 63 ? 1 : 0)),
  texts: count(64).map((at) => `t${String(at).padStart(7, '0')}`),
  lists: count(8).map(() => count(8)),
  object: members(),
  other: members(),
  objects: count(64).map((at) => ({ k: `k${at % 4}`, v: at })),
  text,
  same: text,
  faces: '😀'.repeat(64),
};

/** A change of these numbers changes which of the users' expressions succeed, and how a replay ends. */
const costs: Readonly<Record<string, readonly (readonly [text: string, steps: number])[]>> = {
  operators: [
    ['list', 10],
    ['-1', 1],
    ['[1, 2, 3]', 5],
    ['[1..64]', 28],
    ['list = equal', 9],
    ['lists != lists.$', 22],
    ['object = other', 70],
    ['objects = object', 5],
    ['text = same', 13],
    ['text < same', 13],
    ['text & same', 85],
    ['text & "x"', 13],
    ['list & "x"', 14],
    ['-1 in list', 8],
    ['63 in list', 8],
    ['0 in list', 4],
    ['text in [1, same]', 16],
    ['[missing..5]', 5],
    ['[1..missing]', 5],
    ['[64..1]', 4],
    // A range without items gives nothing back.
    ['([missing..5]; [1..64])', 34],
    ['([1..missing]; [1..64])', 34],
    ['([64..1]; [1..64])', 33],
    ['text in ["x", "y"]', 7],
    ['text = "x"', 4],
    ['list and true', 5],
    ['ones or false', 7],
    ['lists ? 1 : 2', 5],
    ['(1; 2; 3)', 4],
    ['($x := 1; $x)', 4],
    ['*', 500],
    ['object.*', 61],
    ['lists.*', 75],
    ['**', 1325],
    ['lists.**', 76],
    ['objects.**', 468],
  ],
  // The library tries all ways to split a text among components that nothing separates.
  pictures: [
    ['$toMillis("not a date, not at all", "[H][m][s]")', 44],
    ['$toMillis("not a date, not at all", "[H]x[m]x[s]")', 27],
    ['$toMillis("not a date, not at all", "[H]5[m]5[s]")', 44],
    ['$toMillis("not a date, not at all", "[H]x5[m]x5[s]")', 45],
    ['$toMillis("not a date, not at all", "[H]5x[m]5x[s]")', 45],
    ['$toMillis("not a date, not at all", "[H1]:[m1]:[s1]")', 28],
    ['$toMillis("not a date, not at all", "[MNn]x[m]x[s]")', 29],
    ['$toMillis("not a date, not at all", "[D1o][M1][Y,4-4]")', 46],
    ['$toMillis("not a date, not at all", "[D1]é[M1]")', 26],
  ],
  paths: [
    ['list[0]', 2],
    ['list[true]', 91],
    ['list[$ = 5]', 195],
    ['list[[0, 1]]', 219],
    ['lists[0]', 3],
    ['["ab", 5][0].$uppercase($)', 14],
    ['[text, 5][0].$length($)', 4494],
    ['object.k1', 3],
    ['objects.v', 82],
    ['objects.(v)', 210],
    ['lists.$', 27],
    ['lists.$.$', 99],
    ['lists[].$', 27],
    ['objects.{"a": 1}', 466],
    ['objects.[v]', 226],
    ['objects[v > 3].k', 342],
    ['objects^(v)', 1036],
    ['objects^(k)', 1424],
    ['objects^(>k, v)', 1936],
    ['texts^($)', 475],
    ['objects#$i.v', 90],
    ['objects#$i[$i = 3].v', 204],
    ['objects@$o.v', 74],
    ['objects.v.%', 347],
    ['objects^(v)#$i.v', 915],
    ['lists@$l.$l', 27],
    ['objects{k: v}', 232],
    ['objects{k: $sum(v)}', 240],
    ['objects@$o{$o.k: $o.v}', 324],
    ['list{$string(): $}', 388],
    ['lists{"a": $}', 31],
  ],
  functions: [
    ['$count(list)', 5],
    ['$sum(list)', 9],
    ['$max(list)', 9],
    ['$min(list)', 9],
    ['$average(list)', 9],
    [
      '$number("1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000")',
      6,
    ],
    ['$map(list, $string)', 151],
    ['$map(list, function($v, $i, $a) { $i })', 214],
    ['$filter(list, function($v) { $v > 5 })', 341],
    ['$single(list, function($v) { $v = 5 })', 330],
    ['$reduce(list, function($a, $b) { $a + $b })', 321],
    ['$zip(list, list)', 111],
    ['$append(list, list)', 31],
    ['$append(list, 1)', 19],
    ['$reverse(list)', 21],
    ['$sort(list)', 69],
    ['$sort(texts)', 85],
    ['$sort(list, function($a, $b) { $a < $b })', 1030],
    ['$shuffle(list)', 69],
    ['$distinct(list)', 45],
    ['$distinct(texts)', 53],
    ['$distinct(objects)', 566],
    ['$distinct(lists)', 19],
    ['$exists(list)', 5],
    ['$not(list)', 6],
    ['$boolean(ones)', 9],
    ['$boolean([[ones]])', 20],
    ['$string(list)', 15],
    ['$string(text)', 13],
    ['$string([text])', 79],
    ['$string(object)', 54],
    ['$string(objects)', 166],
    ['$length(text)', 13],
    ['$length(faces)', 22],
    ['$substring(text, 5)', 78],
    ['$substring(faces, 5, 3)', 32],
    ['$substringBefore(text, "h")', 15],
    ['$substringAfter(text, "h")', 22],
    ['$uppercase(text)', 77],
    ['$trim(text)', 77],
    ['$pad("a", 640)', 51],
    ['$pad("a", -640, text)', 117],
    ['$pad("a", 640, faces)', 82],
    ['$pad(text, 1)', 79],
    ['$join(texts)', 49],
    ['$join(texts, "--------")', 86],
    ['$base64decode($base64encode(text))', 166],
    ['$encodeUrl(text)', 77],
    ['$contains(text, "x")', 15],
    ['$contains(text, same)', 23],
    ['$split(text, "h")', 54],
    ['$split(text, "")', 278],
    ['$split(text, "h", 3)', 16],
    ['$replace(text, "h", "12345678")', 166],
    ['$replace(text, same, same)', 146],
    ['$keys(object)', 48],
    ['$keys(objects)', 202],
    ['$keys(lists)', 10],
    ['$lookup(object, "k1")', 6],
    ['$lookup(objects, "v")', 26],
    ['$lookup([lists, objects], "v")', 43],
    ['$spread(object)', 269],
    ['$spread(objects)', 550],
    ['$merge(objects)', 201],
    ['$each(object, function($v) { $v })', 271],
    ['$sift(object, function($v) { $v > 3 })', 452],
    ['$type(list)', 6],
    ['$clone(object)', 135],
    ['$clone(objects)', 406],
    ['objects ~> |$|{"w": 1, "x": 2}, ["v"]|', 1318],
    ['object ~> |$|{}, "k1"|', 143],
    ['object ~> |$|{}, $keys($)|', 119],
    ['$formatNumber(1234, "#,##0.00")', 23],
    ['$formatInteger(1999, "I")', 30],
    ['$formatInteger(-1999, "i")', 30],
    ['$formatInteger(19, "w")', 22],
    ['$parseInteger("twelve", "w")', 22],
    ['$toMillis("2026-01-31", "[Y0001]-[M01]-[D01]")', 27],
    ['$toMillis("20260131", "[Y0001][M01][D01]")', 29],
    ['$toMillis("20260131", "[Y0001][M01][D01][H01][m01]")', 61],
    ['$sort(["a", text])', 17],
    ['$formatInteger(1000000, "w")', 22],
    ['$toMillis("2026January31", "[Y0001][MNn][D01]")', 34],
    ['$toMillis("2026T01", "[Y0001]T[M01]")', 24],
    ['$toMillis("2026x01", "[Y0001]x[M01]")', 24],
    ['$toMillis("1st 01", "[D1o] [M01]")', 24],
    ['$toMillis("January 31 2026", "[MNn] [D01] [Y0001]")', 29],
    ['$toMillis("January/31/2026", "[MNn]/[D01]/[Y0001]")', 28],
    ['$toMillis("2026 01 31", "[Y,4-4] [M,*-2] [D]")', 27],
    ['$toMillis("202601312026", "[Y0001][M01][D01]at[H01][m01]")', 38],
    ['$fromMillis(0)', 21],
    ['$fromMillis(0, "[Y0001]-[M01]-[D01]")', 24],
    ['$parse($string(list))', 36],
    ['$range(1, 64, 1)', 22],
    ['$partition(list, 8)', 24],
    ['$hash(text, "MD5")', 102],
    ['$random(1)', 36],
    ['$random()', 3],
  ],
  patterns: [
    ['$contains(text, /x/)', 41],
    ['$split(text, /h/)', 480],
    ['$replace(text, /h/, "12345678")', 608],
    ['$replace(text, /h/, function($m) { "12345678" })', 984],
    ['$match(text, /(g)(h)/)', 1390],
    ['$match(text, /h/, 2)', 24],
  ],
  calls: [
    ['list ~> $sum', 10],
    ['($f := $sum ~> $string; $f(list))', 19],
    ['($f := function($n) { $n = 0 ? 0 : $f($n - 1) }; $f(8))', 92],
    ['($f := function($n) { $n = 0 ? 0 : 1 + $f($n - 1) }; $f(8))', 108],
    ['($f := $substring(?, 0, 1); $f("abc"))', 12],
    ['(function($a)<a<n>:n> { 1 })(list)', 11],
    ['(function($a)<n:n> { $a })(5)', 6],
  ],
};

describe.each(Object.keys(costs))('the steps of %s', (kind) => {
  test.each(costs[kind] ?? [])('%s: %d', (expression, steps) => {
    expect(stepsOf(expression, input)).toBe(steps);
  });
});

describe('limits', () => {
  const nest = (levels: number, wrap: (inner: unknown) => unknown): unknown =>
    count(levels).reduce<unknown>((inner) => wrap(inner), 1);
  const inList = (inner: unknown) => [inner, 1];
  const inObject = (inner: unknown) => ({ a: inner });

  test.each([
    ['$$', [inList, inObject]],
    ['$string($$)', [inList, inObject]],
    ['$clone([$$])', [inList, inObject]],
    ['[$$] = $clone([$$])', [inList, inObject]],
    ['$distinct([$$, $$])', [inList, inObject]],
    ['$$.**', [inList, inObject]],
    ['$not([$$])', [inList, (inner: unknown) => [inner]]],
    ['$count($distinct([$$, $$]))', [inList, inObject]],
    ['$type($clone([$$]))', [inList, inObject]],
    ['$length($string($$))', [inList, inObject]],
    ['$keys($$)', [inList]],
    ['$spread($$)', [inList]],
    ['$lookup($$, "a")', [inList]],
    ['{"a": [$$]}.*', [inList]],
  ])('%s: values are nested 500 levels deep at most', (expression, wraps) => {
    for (const wrap of wraps) {
      expect(ours(expression, nest(490, wrap))).not.toMatch(/^[A-Z]\d/);
      expect(ours(expression, nest(510, wrap))).toBe('D1014');
    }
  });

  test('the limits are exact', () => {
    expect(ours('$$', nest(501, inObject))).not.toBe('D1014');
    expect(ours('$$', nest(502, inObject))).toBe('D1014');
    const recursion = (depth: number) => `($f := function($n) { $n = 0 ? 0 : 1 + $f($n - 1) }; $f(${depth}))`;
    expect([ours(recursion(148)), ours(recursion(149))]).toEqual(['148', 'D1011']);
  });

  test('compared values are nested 500 levels deep at most', () => {
    for (const wrap of [inList, inObject]) {
      const compare = (levels: number) => ours('a = b', { a: nest(levels, wrap), b: nest(levels, wrap) });
      expect([compare(490), compare(510)]).toEqual(['true', 'D1014']);
    }
  });

  test('the length of a text does not limit into how few parts it is split', () => {
    const long = 'a'.repeat(1_000_001);
    expect([ours('$count($split($$, "x"))', long), ours('$count($split($$, "", 2))', long)]).toEqual([
      '1',
      '2',
    ]);
  });

  test('functions call each other 600 levels deep at most, counted with the nodes around the calls', () => {
    const recursion = (depth: number) => `($f := function($n) { $n = 0 ? 0 : 1 + $f($n - 1) }; $f(${depth}))`;
    expect(ours(recursion(140))).toBe('140');
    expect(ours(recursion(160))).toBe('D1011');
  });

  test('a list has a million items at most', () => {
    expect(ours('[1..1000000] ? 1')).toBe('1');
    expect(ours('[1..1000001]')).toBe('D2015');
    expect(ours('$range(1, 1000001, 1)')).toBe('D2015');
  });
});
