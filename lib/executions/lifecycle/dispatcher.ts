import type { BackgroundMode } from '../../workflows/definition/definition.ts';

/** Starts background runs whose record is stored. */
export interface Dispatcher {
  /**
   * Hands an accepted execution over to the engine that runs it. Doing it twice starts one run. When it resolves, the
   * run is certain to begin.
   * @param redispatches how often it was dispatched before, and never begun: the engine takes each for another one,
   *   so that one that it has given up does not stand in the way. 0 when absent
   * Rejects with AppError `DISPATCH_REFUSED` when the engine does not take it: throttled, out of reach, misconfigured.
   * It may have begun nevertheless, if only the reply was lost; its record tells.
   */
  dispatch(executionId: string, mode: BackgroundMode, redispatches?: number): Promise<void>;
}
