import { isAppError } from '../errors.ts';
import type { Launch, RunExecution } from './run-execution.ts';

/** Starts runs that nobody waits for. */
export interface Launcher {
  /**
   * When it resolves, the run is certain to happen, or is happening under this id already. When it rejects, with
   * AppError `STORE_UNAVAILABLE` or `WORKFLOW_INVALID`, nothing was started.
   */
  launch(launch: Launch): Promise<void>;
}

/** Runs before it resolves: the surest way to be certain. How the run went is in its record. */
export const inlineLauncher = (run: RunExecution): Launcher => ({
  launch: async (launch) => {
    try {
      await run(launch);
    } catch (error) {
      if (!isAppError(error, 'ALREADY_STARTED')) throw error;
    }
  },
});
