import { describe, test } from '@jest/globals';
import { cases } from '../../../tests/support/deep.ts';
import { compare } from './an-evaluation.ts';

/** One of each kind, and neighbours that an operator may confuse; `absent` is no value at all. */
const values: Readonly<Record<string, unknown>> = {
  zero: 0,
  one: 1,
  two: 2,
  seven: 7,
  minus: -3,
  half: 0.5,
  large: 1e21,
  empty: '',
  text: 'b',
  earlier: 'a',
  digits: '7',
  word: 'true',
  yes: true,
  no: false,
  nothing: null,
  none: [],
  single: [7],
  several: [1, 'b', null, 7],
  nested: [[1], [2]],
  object: { k: 1 },
  equal: { k: 1 },
  other: { k: '1' },
  bare: {},
};
const names = [...Object.keys(values), 'absent'];

describe('the evaluator has the same value or error as the library', () => {
  const binary = ['+', '-', '*', '/', '%', '&', '=', '!=', '<', '<=', '>', '>=', 'in', 'and', 'or'];
  test.each(binary)('for each pair of values: %s', async (operator) => {
    const pairs = names.flatMap((left) => names.map((right) => `${left} ${operator} ${right}`));
    const share = cases(3, 1);
    await compare(
      pairs.filter(
        (pair, at) => (at + binary.indexOf(operator)) % share === 0 || /absent|several/.test(pair),
      ),
      values,
    );
  });

  test.each(['<', '<=', '>', '>='])('for values with an order: %s', async (operator) => {
    const ordered = ['minus', 'half', 'one', 'two', 'empty', 'earlier', 'text'];
    await compare(
      ordered.flatMap((left) => ordered.map((right) => `${left} ${operator} ${right}`)),
      values,
    );
  });

  test('for what is no number of JSON', async () => {
    const texts = ['1 / 0', '-1 / 0', '0 / 0'];
    await compare(
      texts.flatMap((text) => [
        `(${text}) ? 1 : 2`,
        `$boolean(${text})`,
        `(${text}) + 1`,
        `[${text}] ? 1 : 2`,
      ]),
      values,
    );
  });

  test('for ranges', async () => {
    const bounds = ['zero', 'one', 'two', 'seven', 'minus', 'half', 'text', 'nothing', 'absent'];
    await compare(
      bounds.flatMap((from) => bounds.map((to) => `[${from}..${to}]`)),
      values,
    );
  });

  test('for a sign, a condition, and the default operators', async () => {
    await compare(
      names.flatMap((name) => [
        `-${name}`,
        `${name} ? "yes" : "no"`,
        `${name} ? "yes"`,
        `$boolean(${name})`,
        `$not(${name})`,
      ]),
      values,
    );
  });
});
