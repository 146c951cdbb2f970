import type { Clock } from '@hookloom/plugin-kit';
import { systemClock } from '../../lib/adapters/runtime/system-clock.ts';

/** The machine's clock with deadlines that no load reaches, for tests of what happens in time. */
export const patientClock: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(100 * ms, signal),
};
