import type { Steps } from '../../lib/engine/steps.ts';

/** The same steps with another `run`, in branches as well. */
export const stepsThatRun = (steps: Steps, run: Steps['run']): Steps => ({
  ...steps,
  run,
  within: (name, body) => steps.within(name, (branch) => body(stepsThatRun(branch, run))),
});
