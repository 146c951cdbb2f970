import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { compileParameters } from '../../lib/workflows/expressions/parameters.ts';
import { aScope, evaluateExpression } from '../support/an-expression.ts';
import { cases } from '../support/deep.ts';

const count = (length: number): number[] => Array.from({ length }, (_, index) => index);

const orders = (length: number): JsonObject => ({
  items: count(length).map((id) => ({ id, cat: `c${id}`, price: 1 })),
});

describe('the inputs of an evaluation', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  // holds: bounded-expressions
  test('it never reads the clock: on a slow machine the result is the same', async () => {
    const text = '$sum(items[$not(price = 0)].(price * 2))';
    const quick = await evaluateExpression(text, orders(6_000));
    let now = Date.now();
    jest.spyOn(Date, 'now').mockImplementation(() => {
      now += 60_000;
      return now;
    });
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    expect(await evaluateExpression(text, orders(6_000))).toBe(quick);
    expect(quick).toBe(12_000);
  });

  test.each([240, 260, 20_000])('grouping by %i keys works', async (length) => {
    const sums = (await evaluateExpression('items{cat: $sum(price)}', orders(length))) as JsonObject;
    expect(Object.keys(sums)).toHaveLength(length);
    expect(sums.c7).toBe(1);
  });

  test('missing parts of a date come from the start of the execution, not from today', async () => {
    const millis = await evaluateExpression('$toMillis("10:30", "[H01]:[m01]")');
    expect(millis).toBe(Date.parse('2026-01-02T10:30:00.000Z'));
  });
});

describe('large inputs work', () => {
  test.each<[string, JsonObject, JsonValue]>([
    ['$count($distinct(items))', orders(30_000), 30_000],
    ['$count($distinct(items.price))', orders(30_000), 1],
    [
      '$distinct(items)',
      { items: [1, '1', true, 1, [1], '[1]', [1], { a: 1, b: 2 }, { b: 2, a: 1 }] },
      [1, '1', true, [1], '[1]', { a: 1, b: 2 }],
    ],
    ['$length($replace(d, /\\s+$/, ""))', { d: `${' '.repeat(80_000)}x` }, 80_001],
    ['$contains(d, /(x+x+)+y/)', { d: 'x'.repeat(5_000) }, false],
    ['$count(items^(>id))', orders(20_000), 20_000],
    ['$sort(items)[0]', { items: count(100_000).reverse() }, 0],
    ['$max(items)', { items: count(300_000) }, 299_999],
    ['$count($keys(items))', orders(20_000), 3],
    ['$length($string(items))', { items: count(100_000) }, 588_891],
    ['$length($join($map(items, $string), ","))', { items: count(50_000) }, 288_889],
    [
      '$length($reduce(items, function($text, $one) { $text & $one & "\n" }, ""))',
      { items: count(20_000) },
      108_890,
    ],
    ['$count(items ~> |$|{"seen": true}|)', orders(10_000), 10_000],
    ['($loop := function($n) { $n = 0 ? "done" : $loop($n - 1) }; $loop(100000))', {}, 'done'],
    ['($fac := function($n) { $n = 0 ? 1 : $n * $fac($n - 1) }; $fac(100) > 0)', {}, true],
  ])('%s', async (text, input, value) => {
    expect(await evaluateExpression(text, input)).toEqual(value);
  });
});

describe('what no limit of its own bounds is refused', () => {
  const zeros = { n: count(300_000), m: count(300_000), one: 1 };
  const text = { d: 'x'.repeat(1_000_000), e: 'x'.repeat(1_000_000) };

  const endless: [string, JsonObject][] = [
    ['($f := function($x) { $f($x) }; $f(1))', {}],
    ['$pad("x", 999999999)', {}],
    ['$pad("x", 100, d)', { d: 'x'.repeat(60_000_000) }],
    ['[1..1000000][$$.n = $$.m]', zeros],
    ['[1..1000000][$$.d < $$.e]', text],
    ['[1..1000000].$uppercase($$.d)', text],
    ['$reduce([1..40], function($a, $b) { $a & $a }, "x")', {}],
    ['$toMillis(d, "[Mn][Yn][Dn][Hn][mn][sn][fn]")', { d: 'a'.repeat(200) }],
  ];
  /** Their steps take seconds, or are counted as those of one above. */
  const endlessAndSlow: [string, JsonObject][] = [
    ['[1..1000000][-1 in $$.n]', zeros],
    ['[1..1000000].$contains($$.d, "y")', text],
    ['[1..1000000].$count($split($$.d, "y"))', text],
    ['$count([1..1000].$count([1..1000000]))', {}],
    ['[1..1000000].($$.z and true)', { z: count(300_000).fill(0) }],
    ['[1..1000000].$contains($$.d, /y/)', text],
    ['[1..1000000][$$.n]', zeros],
    ['[1..1000000].$$.n.x', { n: [count(300_000)] }],
    ['[1..1000000].$string($$.n)', zeros],
    ['[1..1000000].($$.n & "")', zeros],
    ['[1..1000000].$count($$.**)', zeros],
    ['[1..1000000].$count($$.*)', zeros],
    ['[1..1000000].$sum($$.n)', zeros],
    ['[1..1000000].$keys($$)', Object.fromEntries(count(50_000).map((n) => [`k${n}`, n]))],
    ['[1..1000000].(function($a)<a<n>:n> { 1 })($$.n)', zeros],
    ['$match(d, /x*y|x/)', text],
    ['$reduce([1..40], function($a, $b) { {"a": $a, "b": $a} }, {})', {}],
  ];
  // holds: bounded-expressions
  test.each(cases(endless, [...endless, ...endlessAndSlow]))('%s', async (expression, input) => {
    await expect(evaluateExpression(expression, input)).rejects.toThrow('more than 3000000 steps');
  });

  test.each<[string, JsonObject, string]>([
    ['$reduce([1..40], function($a) { $a & $a }, "x")', {}, 'must be a function with at least two arguments'],
    ['n.{"a": $$.n}.a', { n: count(2_000) }, 'maximum sequence length'],
    ['$append(n, $append(n, $append(n, n)))', zeros, 'maximum sequence length'],
    ['$split(d, "")', { d: 'x'.repeat(1_100_000) }, 'maximum sequence length'],
    ['($f := function($x) { $f($x) + 1 }; $f(1))', {}, 'Stack overflow'],
    ['($f := function($x) { $map([$x], function($y) { $f($y + 1) }) }; $f(1))', {}, 'Stack overflow'],
    ['($f := function($x) { $replace("a", /a/, $f) }; $f("a"))', {}, 'Stack overflow'],
    ['$string($reduce([1..5000], function($a) { [[$a]] }, 1))', {}, 'at least two arguments'],
    [
      '$string($reduce([1..5000], function($a, $b) { {"a": $a} }, {}))',
      {},
      'nested more than 500 levels deep',
    ],
    ['$reduce([1..5000], function($a, $b) { {"a": $a} }, {})', {}, 'nested more than 500 levels deep'],
    ['$fromMillis(0, "[Y,1000000000]")', {}, 'asks for too many digits'],
    ['$formatInteger(1e300, "I")', {}, 'too long'],
    ['$formatNumber(1, d)', { d: '#'.repeat(1_000_000) }, 'too long'],
  ])('%s', async (expression, input, message) => {
    await expect(evaluateExpression(expression, input)).rejects.toThrow(message);
  });
});

describe('expressions of one node', () => {
  test('one that fails at once leaves none behind that fails later unhandled', async () => {
    const rejections: unknown[] = [];
    const listen = (reason: unknown) => rejections.push(reason);
    process.on('unhandledRejection', listen);
    try {
      // The first is a simple expression, which needs JSONata for the list only, and for the first time then.
      const resolve = compileParameters({ late: '{{ list.a }}', atOnce: '{{ $error("at once") & list.b }}' });
      await expect(resolve?.(aScope())).rejects.toThrow('at once');
      const late = { list: Object.freeze([{ a: Number.POSITIVE_INFINITY }]) as unknown as JsonValue };
      await expect(resolve?.(aScope({ input: late }))).rejects.toThrow();
      await new Promise((settled) => setImmediate(settled));
      expect(rejections).toEqual([]);
    } finally {
      process.off('unhandledRejection', listen);
    }
  });

  test('nothing more is evaluated once the execution’s time is up', async () => {
    let isTimeUp = false;
    const resolve = compileParameters({ a: '{{ $sum([1, 1]) }}' });
    const limited = { ...aScope(), isTimeUp: () => isTimeUp };
    expect(await resolve?.(limited)).toEqual({ a: 2 });
    expect(resolve?.(limited)).toEqual({ a: 2 });
    isTimeUp = true;
    await expect(resolve?.(limited)).rejects.toThrow('the execution ran out of time');
  });
});
