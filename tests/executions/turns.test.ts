import { describe, expect, test } from '@jest/globals';
import { createTakeTurn } from '../../lib/executions/turns.ts';

const aJob = (log: string[], name: string) => async () => {
  log.push(`${name} begins`);
  await null;
  await null;
  log.push(`${name} ends`);
  return name;
};

describe('taking turns', () => {
  test('one begins at once, the others when those before have ended', async () => {
    const log: string[] = [];
    const takeTurn = createTakeTurn(() => false);
    const all = ['a', 'b', 'c'].map((name) => takeTurn(aJob(log, name)));
    expect(log).toEqual(['a begins']);
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c']);
    expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
    takeTurn(aJob(log, 'd'));
    expect(log.at(-1)).toBe('d begins');
  });

  test('one that fails does not keep the others from their turn', async () => {
    const takeTurn = createTakeTurn(() => false);
    const failing = takeTurn(() => Promise.reject(new Error('no')));
    const next = takeTurn(async () => 'next');
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('next');
  });

  test('when the time is up, those that wait are refused', async () => {
    let isTimeUp = false;
    const takeTurn = createTakeTurn(() => isTimeUp);
    const first = takeTurn(async () => {
      isTimeUp = true;
      return 'first';
    });
    const second = takeTurn(async () => 'second');
    expect(await first).toBe('first');
    await expect(second).rejects.toThrow('the execution ran out of time');
  });
});
