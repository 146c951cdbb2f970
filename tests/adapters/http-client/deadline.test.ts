import { getEventListeners } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import { startDeadline } from '../../../lib/adapters/http-client/deadline.ts';

const aLimit = (timeoutMs = 10_000) => {
  const controller = new AbortController();
  return {
    controller,
    limit: { timeoutMs, signal: controller.signal, onTimeout: () => new Error('too late') },
  };
};

/** Work that only an abort ends, and that then breaks in its own way. */
const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    const hangUp = () => reject(new Error('socket hang up'));
    if (signal.aborted) hangUp();
    else signal.addEventListener('abort', hangUp);
  });

/** The ways to work under a deadline. */
const ways: Record<
  string,
  (limit: ReturnType<typeof aLimit>['limit'], work: typeof untilAborted) => Promise<unknown>
> = {
  'a phase': (limit, work) => {
    const { guard, signal } = startDeadline(limit);
    return guard(work(signal));
  },
  'a stream': (limit, work) => {
    const { guardStream, signal } = startDeadline(limit);
    const stream = async function* () {
      yield Buffer.from('a');
      yield await work(signal);
    };
    return buffer(guardStream(stream()));
  },
};

describe.each(Object.entries(ways))('%s under a deadline', (_name, run) => {
  test('fails as the work does', async () => {
    await expect(run(aLimit().limit, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });

  test('any failure after the time is up counts as a timeout', async () => {
    await expect(run(aLimit(20).limit, untilAborted)).rejects.toThrow('too late');
  });

  test('any failure after an abort counts as the abort', async () => {
    const { controller, limit } = aLimit();
    const work = run(limit, untilAborted);
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(work).rejects.toBe(reason);
  });

  test('leaves no listener behind when it fails', async () => {
    const { limit } = aLimit();
    await run(limit, () => {
      expect(getEventListeners(limit.signal, 'abort')).toHaveLength(1);
      return Promise.reject(new Error('broken'));
    }).catch(() => {});
    expect(getEventListeners(limit.signal, 'abort')).toHaveLength(0);
  });
});

describe('a deadline', () => {
  test('does not start aborted work', () => {
    const { controller, limit } = aLimit();
    controller.abort(new Error('enough'));
    expect(() => startDeadline(limit)).toThrow('enough');
  });

  test('spans its phases, and ends with the stream', async () => {
    const { limit } = aLimit();
    const { guard, guardStream } = startDeadline(limit);
    expect(await guard(Promise.resolve(7))).toBe(7);
    expect(getEventListeners(limit.signal, 'abort')).toHaveLength(1);
    const stream = async function* () {
      yield Buffer.from('a');
    };
    expect((await buffer(guardStream(stream()))).toString()).toBe('a');
    expect(getEventListeners(limit.signal, 'abort')).toHaveLength(0);
  });

  test('ends with a stream that is not read to its end', async () => {
    const { limit } = aLimit();
    const stream = async function* () {
      yield 1;
      yield 2;
    };
    for await (const _chunk of startDeadline(limit).guardStream(stream())) break;
    expect(getEventListeners(limit.signal, 'abort')).toHaveLength(0);
  });
});
