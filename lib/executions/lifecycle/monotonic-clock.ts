import type { Clock } from '../../contract/services.ts';

/**
 * The clock of one execution, whose replays run on machines with different clocks.
 *
 * @param floor - the latest recorded time, milliseconds since the epoch: `now` is never earlier
 * @param closed - ends every `sleep`
 */
export const createMonotonicClock = (clock: Clock, floor: number, closed: AbortSignal): Clock => ({
  now: () => Math.max(floor, clock.now()),
  sleep: (ms, signal) => clock.sleep(ms, signal === undefined ? closed : AbortSignal.any([signal, closed])),
});
