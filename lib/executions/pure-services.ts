import type { Services } from '../contract/services.ts';
import { createRandom } from '../workflows/random.ts';

/**
 * What a pure node is lent. It is computed again whenever an interrupted run goes on, so time stands still at the
 * start of the execution and ids come from its name: each time it gives what it gave before.
 * @param startedAt when the execution was started, ISO 8601
 * @param seed names this run of this node
 */
export const createPureServices = (services: Services, startedAt: string, seed: string): Services => {
  const now = Date.parse(startedAt);
  const random = createRandom(`${seed}/ids`);
  const draw = () =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
  return {
    clock: { now: () => now, sleep: (ms, signal) => services.clock.sleep(ms, signal) },
    ids: { next: () => [draw(), draw(), draw(), draw()].join('') },
    http: { request: () => Promise.reject(new Error('a pure node can not call out')) },
  };
};
