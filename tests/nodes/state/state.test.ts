import type { JsonObject, State } from '@hookloom/plugin-kit';
import { runNode } from '@hookloom/plugin-kit/testing';
import { describe, expect, test } from '@jest/globals';
import { createStateFor } from '../../../lib/state/execution-state.ts';
import { state } from '../../../nodes/state/state.plugin.ts';
import { aManualClock } from '../../support/a-manual-clock.ts';
import { inMemoryState, inMemoryValues } from '../../support/in-memory-state.ts';

/** Nodes of executions, on one store. */
const open = () => {
  const stateFor = createStateFor({
    store: inMemoryState(),
    values: inMemoryValues().values,
    clock: aManualClock(),
  });
  return async (executionId: string, parameters: JsonObject, input: JsonObject = {}) => {
    const execution = { executionId, workflowId: 'shop', retryOf: null };
    const { run } = stateFor(execution)('node/0', new AbortController().signal);
    return (await runNode(state, { parameters, input, state: run })).outputs;
  };
};

describe('the node state', () => {
  test('counts, and reads what it has counted', async () => {
    const run = open();
    const count = (executionId: string) => run(executionId, { operation: 'increment', key: 'orders' });
    expect(await count('e-1')).toEqual({ main: { value: 1, version: 1 } });
    expect(await count('e-2')).toEqual({ main: { value: 2, version: 2 } });
    expect(await run('e-3', { operation: 'get', key: 'orders' })).toMatchObject({ main: { value: 2 } });
    expect(await run('e-3', { operation: 'list' })).toMatchObject({
      main: { entries: [{ key: 'orders', value: 2 }], next: null },
    });
  });

  test('puts, appends and deletes', async () => {
    const run = open();
    await run('e-1', { operation: 'put', key: 'list', value: ['a'] });
    expect(await run('e-2', { operation: 'append', key: 'list', value: 'b' })).toEqual({
      main: { length: 2, version: 2 },
    });
    expect(await run('e-3', { operation: 'delete', key: 'list', ifVersion: 2 })).toEqual({
      main: { deleted: true },
    });
  });

  test('passes its input on where the key is new, or is not', async () => {
    const run = open();
    const parameters = { operation: 'once', key: 'order/1' };
    expect(await run('e-1', parameters, { order: 1 })).toEqual({ true: { order: 1 } });
    expect(await run('e-2', parameters, { order: 1 })).toEqual({ false: { order: 1 } });
  });

  test('outputs the items that are new, by a field or by themselves', async () => {
    const run = open();
    const news = (executionId: string, items: JsonObject[]) =>
      run(executionId, { operation: 'newItems', items, itemKey: 'guid', prefix: 'feed/' });
    expect(await news('e-1', [])).toEqual({ main: { items: [], seen: 0 } });
    expect(await news('e-2', [{ guid: 'a' }, { guid: 'b' }, { guid: 'a' }])).toEqual({
      main: { items: [{ guid: 'a' }, { guid: 'b' }], seen: 1 },
    });
    expect(await news('e-3', [{ guid: 'b' }, { guid: 'c' }])).toEqual({
      main: { items: [{ guid: 'c' }], seen: 1 },
    });
    expect(await run('e-4', { operation: 'newItems', items: [1, '1', 2] })).toEqual({
      main: { items: [1, 2], seen: 1 },
    });
  });

  test('marks items after the branch', async () => {
    const run = open();
    const items = [{ guid: 'a' }];
    await run('e-1', { operation: 'newItems', items, itemKey: 'guid', markAfterSeconds: 60 });
    expect(await run('e-1', { operation: 'markSeen', items, itemKey: 'guid' })).toEqual({
      main: { marked: 1 },
    });
  });

  test.each<[string, JsonObject, string]>([
    ['no key', { operation: 'get' }, 'Parameter "key" must be a string, got nothing'],
    ['nothing to put', { operation: 'put', key: 'a' }, 'Parameter "value" must be any JSON, got nothing'],
    [
      'an item without its key',
      { operation: 'newItems', items: [{ guid: 'a' }, { id: 'b' }], itemKey: 'guid' },
      'Parameter "items[1].guid" must be a string or a number, got nothing',
    ],
  ])('names the parameter: %s', async (_case, parameters, message) => {
    const run: State['run'] = () => Promise.reject(new Error('nothing must be called'));
    await expect(runNode(state, { parameters, state: run })).rejects.toThrow(message);
  });

  test('lacks or ignores no parameter of a stored workflow', async () => {
    expect(await state.checkParameters?.({ operation: 'get', items: [] })).toEqual([
      { path: '', message: '"key" is required for get' },
      { path: '/items', message: 'is not a parameter of get' },
    ]);
    expect(await state.checkParameters?.({ operation: 'get', key: 'a', store: 'common' })).toEqual([]);
    expect(await state.checkParameters?.({ operation: '{{ do }}' })).toEqual([]);
  });
});
