import type { Clock } from '../../contract/services.ts';

/**
 * Time as one execution sees it: it does not go back behind what is recorded, whatever the clock of this machine says,
 * and nobody sleeps on when the invocation is over.
 */
export const createSteadyClock = (clock: Clock, floor: number, over: AbortSignal): Clock => ({
  now: () => Math.max(floor, clock.now()),
  sleep: (ms, signal) => clock.sleep(ms, signal === undefined ? over : AbortSignal.any([signal, over])),
});
