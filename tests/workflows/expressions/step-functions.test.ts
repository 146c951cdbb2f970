import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { compileExpression } from '../../../lib/workflows/expressions/compile-expression.ts';
import { aScope, evaluateExpression } from '../../support/an-expression.ts';
import { cases } from '../../support/deep.ts';

const input: JsonObject = {
  text: '{"a": [1, {"__proto__": 2}], "b": null}',
  list: [1, 2, 3, 4, 5],
  one: [7],
};

describe('the functions of Step Functions', () => {
  test.each<[string, JsonValue | undefined]>([
    ['$parse(text).b', null],
    ['$parse(text).a[0]', 1],
    ['$parse("[1]")', [1]],
    ['$parse("1.5")', 1.5],
    ['$parse(missing)', undefined],
    ['$string($parse(text).a[1])', '{"__proto__":2}'],
    ['$range(0, 10, 2)', [0, 2, 4, 6, 8, 10]],
    ['$range(0, 9, 4)', [0, 4, 8]],
    ['$range(3, 1, -1)', [3, 2, 1]],
    ['$range(3, 3, 1)', [3]],
    ['$range(3, 1, 1)', []],
    ['$range(missing, 1, 1)', undefined],
    ['$partition(list, 2)', [[1, 2], [3, 4], [5]]],
    ['$partition(list, 9)', [[1, 2, 3, 4, 5]]],
    ['$partition(one, 2)', [[7]]],
    ['$partition([], 2)', []],
    ['$partition(7, 2)', [[7]]],
    ['$partition(missing, 2)', undefined],
    ['$hash(missing, "MD5")', undefined],
    ['$hash("", "MD5")', 'd41d8cd98f00b204e9800998ecf8427e'],
  ])('%s', async (text, value) => {
    const found = await evaluateExpression(text, input);
    expect(found === undefined ? found : JSON.stringify(found)).toBe(
      value === undefined ? value : JSON.stringify(value),
    );
  });

  test.each(['MD5', 'SHA-1', 'SHA-256', 'SHA-384', 'SHA-512'])('$hash with %s', async (algorithm) => {
    const expected = createHash(algorithm.replace('-', '')).update('grüße').digest('hex');
    expect(await evaluateExpression(`$hash("grüße", "${algorithm}")`)).toBe(expected);
  });

  test.each([
    ['$parse("{")', 'The argument of the parse function is not JSON'],
    ['$parse(list)', 'Argument 1 of function "parse" does not match'],
    ['$range(1, 2)', 'does not match'],
    ['$range(1, 2, 0)', 'The step of the range function must not be 0'],
    ['$range(1, 2, 0.5)', 'The arguments of the range function must be integers, got 0.5'],
    ['$range(0, 1000000, 1)', 'The maximum sequence length of 1000000 was exceeded'],
    ['$partition(list, 0)', 'The size of the partition function must be an integer of at least 1, got 0'],
    ['$partition(list, 1.5)', 'The size of the partition function must be an integer of at least 1, got 1.5'],
    [
      '$hash("a", "sha256")',
      'The algorithm of the hash function must be one of MD5, SHA-1, SHA-256, SHA-384, SHA-512, got "sha256"',
    ],
    ['$hash("a")', 'does not match'],
  ])('%s is an error', async (text, message) => {
    await expect(evaluateExpression(text, input)).rejects.toThrow(message);
  });

  const repeated: [string, JsonObject][] = [
    ['$map([1..200000], function($i) { $parse(text) })', { text: JSON.stringify('x'.repeat(1_000)) }],
    ['$map([1..200000], function($i) { $hash(text, "MD5") })', { text: 'x'.repeat(10_000) }],
    ['$map([1..1000], function($i) { $range(1, 100000, 1) })', {}],
    [
      '$map([1..1000], function($i) { $partition(list, 1) })',
      { list: Array.from({ length: 50_000 }, () => 0) },
    ],
  ];
  // holds: bounded-expressions
  test.each(cases(repeated.slice(0, 2), repeated))('%s takes too many steps', async (text, data) => {
    await expect(evaluateExpression(text, data)).rejects.toThrow('more than 3000000 steps');
  });
});

describe('$uuid', () => {
  const uuids = async (place: string, seed = 'e-1/node/0') =>
    (await compileExpression('[$uuid(), $uuid()]', place)(aScope({ seed }))) as string[];

  test('has version 4, and is the same in a replay', async () => {
    const once = await uuids('a');
    for (const uuid of once)
      expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(await uuids('a')).toEqual(once);
  });

  test('is different at each call, in each expression and for each run of a node', async () => {
    const all = [await uuids('a'), await uuids('b'), await uuids('a', 'e-1/node/1')].flat();
    expect(new Set(all).size).toBe(6);
  });

  test('is not available before an execution exists, where it would be the same for all requests', async () => {
    await expect(uuids('', '')).rejects.toThrow('$uuid() is not available before the execution starts');
  });
});
