import { getEventListeners } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { withDeadline } from '../../../lib/adapters/http-client/deadline.ts';

const aLimit = () => {
  const controller = new AbortController();
  return {
    controller,
    limit: { timeoutMs: 10_000, signal: controller.signal, onTimeout: () => new Error('too late') },
  };
};

/** Work that only an abort ends, and that then breaks in its own way. */
const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(new Error('socket hang up'))),
  );

describe('withDeadline', () => {
  test('gives what the work gives', async () => {
    expect(await withDeadline(aLimit().limit, async () => 7)).toBe(7);
  });

  test('hands on why the work failed', async () => {
    const broken = withDeadline(aLimit().limit, () => Promise.reject(new Error('broken')));
    await expect(broken).rejects.toThrow('broken');
  });

  test('whatever breaks when time is up, broke because of it', async () => {
    await expect(withDeadline({ ...aLimit().limit, timeoutMs: 20 }, untilAborted)).rejects.toThrow(
      'too late',
    );
  });

  test('whatever breaks after an abort, broke because of it', async () => {
    const { controller, limit } = aLimit();
    const work = withDeadline(limit, untilAborted);
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(work).rejects.toBe(reason);
  });

  test('does not begin what is aborted already', async () => {
    const { controller, limit } = aLimit();
    controller.abort(new Error('enough'));
    let hasBegun = false;
    const work = withDeadline(limit, async () => {
      hasBegun = true;
    });
    await expect(work).rejects.toThrow('enough');
    expect(hasBegun).toBe(false);
  });

  test('leaves no listener behind', async () => {
    const { limit } = aLimit();
    await withDeadline(limit, async () => {
      expect(getEventListeners(limit.signal, 'abort')).toHaveLength(1);
    });
    expect(getEventListeners(limit.signal, 'abort')).toHaveLength(0);
  });
});
