import { expect, test } from '@jest/globals';
import { findReads } from '../../../lib/workflows/expressions/find-reads.ts';

test.each([
  ['total > 100', ['total']],
  [
    'body.`a b`.`and` = "x.y" and $trigger.id in $nodes.list.items',
    ['body.`a b`.`and`', '$trigger.id', '$nodes.list.items'],
  ],
  ['a = a or $.a = $$.a', ['a']],
  ['-5 < (a)', ['a']],
  ['items[price > limit].name', ['items']],
  ['items[price > $$.limit].name', ['items', 'limit']],
  ['$sum(items.price) > $$.max', ['items.price', 'max']],
  ['($x := total; $x > 5)', ['total']],
  ['$map(items, function($v) { $v.price > limit })', ['items', 'limit']],
  ['items.(price * $trigger.rate)', ['items', '$trigger.rate']],
  ['{"a": b, "c": [d, e]}', ['b', 'd', 'e']],
  ['account{name: $sum(amount)}', ['account']],
  ['a ? b : c', ['a', 'b', 'c']],
  ['items^(price).name', ['items']],
  ['items@$i.x[$i.y = z]', ['items', '$']],
  ['items#$i[$i < 3].name', ['items']],
  ['$lookup(headers, "x")', ['headers']],
  ['*.a', ['$']],
  ['**.price', ['$']],
  ['$', ['$']],
  ['$count($nodes.x.list[0])', ['$nodes.x.list']],
  ['a ~> $uppercase', ['a']],
  ['$ ~> |items|{"price": $$.price}|', ['$', 'price']],
  ['1 + 1', []],
])('%s reads %j', async (text, paths) => {
  const { reads } = await findReads(text);
  expect(reads.map(({ path }) => path)).toEqual(paths);
});

test('a simple expression is split at its paths', async () => {
  const { reads, parts } = await findReads("(a.b > 5 or c = 'x')");
  const [first, second] = reads;
  expect(parts).toEqual(['(', first, '>', '5', 'or', second, '=', '"x"', ')']);
  expect((await findReads('$sum(a)')).parts).toBeNull();
});

test('a syntax error is refused', async () => {
  await expect(findReads('a +')).rejects.toThrow('character');
});
