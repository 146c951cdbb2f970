import type { Ids, Services } from '../contract/services.ts';
import { createRandom } from '../shared/random.ts';

/**
 * The services of pure nodes. Such a node is computed again whenever an interrupted run is resumed, so time stands
 * still at the start of the execution and ids follow from the node's name: each time it gives what it gave before.
 * @param startedAt when the execution was started, ISO 8601
 * @returns a function that gives the services of one node; its argument names this run of this node
 */
export const createPureServices = (services: Services, startedAt: string): ((seed: string) => Services) => {
  const now = Date.parse(startedAt);
  const clock: Services['clock'] = {
    now: () => now,
    sleep: (ms, signal) => services.clock.sleep(ms, signal),
  };
  const http: Services['http'] = {
    request: () => Promise.reject(new Error('a pure node can not call out')),
  };
  return (seed) => ({ clock, ids: createSeededIds(seed), http });
};

/** Most nodes ask for no id: the seed is hashed for the first one. */
const createSeededIds = (seed: string): Ids => {
  let random: (() => number) | undefined;
  const draw = (): string => {
    random ??= createRandom(`${seed}/ids`);
    return Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
  };
  return { next: () => [draw(), draw(), draw(), draw()].join('') };
};
