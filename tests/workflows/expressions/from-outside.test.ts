import type { JsonObject } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { compileExpression } from '../../../lib/workflows/expressions/compile-expression.ts';
import { compileParameters } from '../../../lib/workflows/expressions/parameters.ts';
import type { Result, Scope } from '../../../lib/workflows/expressions/scope.ts';
import { aScope, freezeDeeply } from '../../support/an-expression.ts';

const scope = (input: JsonObject = {}, seed = 'e-1/node/0'): Scope =>
  aScope({ input, seed, trigger: Object.freeze({ list: Object.freeze(['x']) }) });

const evaluate = async (text: string, input?: JsonObject, seed?: string): Promise<Result> =>
  compileExpression(text)(scope(input, seed));

describe('time and randomness', () => {
  test('$now accepts a picture and a time zone, and returns the start of the execution', async () => {
    expect(await evaluate('$now("[Y0001]-[M01]-[D01]")')).toBe('2026-01-02');
    expect(await evaluate('$now("[H01]:[m01]", "+0200")')).toBe('05:04');
    expect(await evaluate('$now()')).toBe('2026-01-02T03:04:05.678Z');
    expect(await evaluate('$toMillis($now()) = $millis()')).toBe(true);
  });

  test('$shuffle gives the same order in a replay, and loses nothing', async () => {
    const text = '$shuffle([1..30])';
    const once = (await evaluate(text)) as number[];
    expect(await evaluate(text)).toEqual(once);
    expect(await evaluate(text, {}, 'e-2/node/0')).not.toEqual(once);
    expect(once.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
  });

  test('two expressions of one node draw different numbers', async () => {
    const resolve = compileParameters({
      a: '{{ $random() }}',
      b: '{{ $random() }}',
      c: '{{ $random() }}{{ $random() }}',
    });
    const { a, b, c } = (await resolve?.(scope())) ?? {};
    expect(a).not.toBe(b);
    expect(c).toMatch(/^0\.\d+0\.\d+$/);
    expect(new Set(String(c).split('0.')).size).toBe(3); // the empty start, and two that differ
  });
});

describe('bounds', () => {
  test('a list that a request makes long is refused before it uses up the memory', async () => {
    await expect(evaluate('[1..n]', { n: 9_999_999 })).rejects.toThrow('maximum sequence length');
    await expect(evaluate('$count([1..n])', { n: 9_999_999 })).rejects.toThrow('maximum sequence length');
    expect(await evaluate('$count([1..n])', { n: 1_000 })).toBe(1_000);
  });

  test.each([
    ['1 / 0', 'its result is Infinity, which is not JSON'],
    ['{"x": [-1 / 0]}', 'its result is -Infinity, which is not JSON'],
  ])('%s is not JSON', async (text, message) => {
    await expect(evaluate(text)).rejects.toThrow(message);
  });
});

describe('frozen data', () => {
  const input: JsonObject = {
    items: [
      { sku: 'b', price: 2, tags: ['x', 'y'] },
      { sku: 'a', price: 3, tags: [] },
    ],
    one: [{ sku: 'c' }],
    nested: { list: [[1, 2], [3]] },
  };

  // JSONata marks its own lists with properties: it must never try that with ours.
  test.each([
    '$',
    'items',
    'items[]',
    'items[0].tags[]',
    'items.tags[].$uppercase($)',
    'nested.list[]',
    'nope[]',
    'items.sku[]',
    'items[0].sku[]',
    '$trigger.list[]',
    '{"all": one[].sku[]}',
    'items.tags',
    'items.tags[]',
    '[items]',
    '[items, one]',
    'one.sku',
    'one[0]',
    'nested.list',
    'nested.list[0]',
    'nested.*',
    '**.sku',
    'items^(price)',
    'items^(>sku).sku',
    'items[price > 2]',
    'items{sku: price}',
    'items@$i.{"sku": $i.sku}',
    'items#$n.{"n": $n}',
    'items.{"all": %.one.sku}',
    '$append(items, one)',
    '$reverse(items)',
    '$sort(items, function($a, $b) { $a.price > $b.price })',
    '$distinct(items.tags)',
    '$map(items, function($i) { $i.price })',
    '$filter(items, function($i) { $i.price > 2 })',
    '$merge(items)',
    '$each($, function($v, $k) { $k })',
    '$sift(function($v, $k) { $k = "one" })',
    '$spread(one)',
    '$zip([1, 2], items.sku)',
    '$shuffle(items)[0] ? 1 : 0',
    '$ ~> |items|{"seen": true}|',
    '($x := items; $x[0].tags)',
    '$lookup(items, "tags")',
    '$clone($)',
  ])('%s has the same result as with unfrozen data', async (text) => {
    const open = await evaluate(text, structuredClone(input) as JsonObject);
    const frozen = await evaluate(text, freezeDeeply(structuredClone(input) as JsonObject) as JsonObject);
    expect(JSON.stringify(frozen)).toBe(JSON.stringify(open));
  });
});
