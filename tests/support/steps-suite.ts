import { describe, expect, test } from '@jest/globals';
import type { Attempt, Step, Steps } from '../../lib/engine/steps.ts';

/** Runs `use` to its end, through suspensions and replays where the implementation has them. */
export type WithSteps = <Value>(use: (steps: Steps) => Promise<Value>) => Promise<Value>;

const done = (value: number): Attempt => ({ outputs: { main: { value } } });
const failed = { failure: { name: 'Error', message: 'busy' } } satisfies Attempt;

const step = (attempt: (number: number) => Attempt, changes: Partial<Step> = {}): Step => ({
  name: 'call/0',
  retry: undefined,
  attempt: async (number) => attempt(number),
  ...changes,
});

/** The contract of `Steps`. */
export const describeSteps = (name: string, withSteps: WithSteps) => {
  describe(`${name}, as steps`, () => {
    test('returns what an attempt returned', async () => {
      const result = await withSteps((steps) => steps.run(step(() => done(1))));
      expect(result).toEqual({ ...done(1), attempts: 1 });
    });

    test('retries as the policy says, with the attempt number', async () => {
      const attempt = (number: number) => (number < 3 ? failed : done(number));
      const result = await withSteps((steps) => steps.run(step(attempt, { retry: { maxAttempts: 5 } })));
      expect(result).toEqual({ ...done(3), attempts: 3 });
    });

    test('throws the last failure when no attempts are left', async () => {
      const retry = { maxAttempts: 2, intervalSeconds: 1 };
      expect(await withSteps((steps) => steps.run(step(() => failed, { retry })))).toEqual({
        ...failed,
        attempts: 2,
      });
      expect(await withSteps((steps) => steps.run(step(() => failed)))).toEqual({ ...failed, attempts: 1 });
    });

    test('throws a failure that is not retryable at once, with its details', async () => {
      const final: Attempt = { failure: { ...failed.failure, isRetryable: false, details: { status: 404 } } };
      const result = await withSteps((steps) => steps.run(step(() => final, { retry: { maxAttempts: 9 } })));
      expect(result).toEqual({ ...final, attempts: 1 });
    });

    test('does not retry for an execution that has ended', async () => {
      const signal = AbortSignal.abort(new Error('over'));
      const retry = { maxAttempts: 9, intervalSeconds: 1 };
      const result = await withSteps((steps) => steps.run(step(() => failed, { retry, signal })));
      expect(result).toEqual({ ...failed, attempts: 1 });
    });

    test('handles large and unusual data', async () => {
      const data = { text: '\u2028"é'.repeat(100_000), ['__proto__']: null, deep: [[[{}]]] };
      const result = await withSteps((steps) => steps.run(step(() => ({ outputs: { main: data } }))));
      expect(result).toEqual({ outputs: { main: data }, attempts: 1 });
    });

    test('gives concurrent work its own order', async () => {
      const values = await withSteps((steps) =>
        Promise.all(
          [0, 1, 2].map((at) =>
            steps.within(`each/${at}`, async (inner) => {
              if (at === 0) await inner.wait('pause', 1);
              const first = await inner.run(step(() => done(at), { name: `each/${at}/a` }));
              const second = await inner.run(step(() => done(at + 10), { name: `each/${at}/b` }));
              return [first, second].map((result) =>
                'outputs' in result ? result.outputs.main?.value : null,
              );
            }),
          ),
        ),
      );
      expect(values).toEqual([
        [0, 10],
        [1, 11],
        [2, 12],
      ]);
    });

    test('passes on errors from inside', async () => {
      class Odd extends Error {}
      const thrown = await withSteps((steps) =>
        steps
          .within('inner', async () => {
            throw new Odd('inside');
          })
          .catch((error: unknown) => error),
      );
      expect(thrown).toBeInstanceOf(Odd);
    });

    test('waits', async () => {
      const order = await withSteps(async (steps) => {
        await steps.wait('pause/0/0', 90);
        return steps.run(step(() => done(1)));
      });
      expect(order).toMatchObject({ attempts: 1 });
    });
  });
};
