import { emit, type JsonValue } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { filter, ifNode } from '../../nodes/flow/flow-nodes.ts';
import { runNode } from '../support/a-node-context.ts';

const input = { a: 1 };
const notBoolean: [JsonValue][] = [['true'], ['false'], [''], [0], [1], [null], [[]], [{}]];

describe('if', () => {
  test('passes the input on to the output of the condition, and to no other', async () => {
    expect(await runNode(ifNode, 'if', { condition: true }, input)).toStrictEqual(emit({ true: input }));
    expect(await runNode(ifNode, 'if', { condition: false }, input)).toStrictEqual(emit({ false: input }));
  });

  test.each(notBoolean)('%j is neither true nor false', async (condition) => {
    await expect(runNode(ifNode, 'if', { condition }, input)).rejects.toThrow(
      /^Parameter "condition" must be true or false, got \w+$/,
    );
  });
});

describe('filter', () => {
  test('passes the input on when the condition is true', async () => {
    expect(await runNode(filter, 'filter', { condition: true }, input)).toBe(input);
  });

  test('ends the branch when it is false', async () => {
    expect(await runNode(filter, 'filter', { condition: false }, input)).toStrictEqual(emit({}));
  });

  test.each(notBoolean)('%j is neither true nor false', async (condition) => {
    await expect(runNode(filter, 'filter', { condition }, input)).rejects.toThrow(
      /^Parameter "condition" must be true or false, got \w+$/,
    );
  });
});
