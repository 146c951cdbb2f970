import { createDurableFunction } from '../../lib/adapters/durable/durable-function.ts';
import { openDurableRuns, openRuns } from '../../lib/app/compose/background.ts';
import type { Config } from '../../lib/app/config.ts';
import { createExpressFunction } from '../../lib/app/express-handler.ts';
import type { BackgroundMode } from '../../lib/workflows/definition/definition.ts';
import { installedPlugins } from '../../nodes/installed.ts';
import { aDurableEngine } from './a-durable-engine.ts';

/** Runs executions to their end, each in the function of its mode. @param configOf - the config of a function */
export const createRunExecution = (configOf: (functionKey: string) => Config) => {
  const runExpress = createExpressFunction(openRuns(installedPlugins, configOf('runExpress')));
  const durable = openDurableRuns(installedPlugins, configOf('runDurable'));
  return async (executionId: string, mode: BackgroundMode): Promise<void> => {
    if (mode === 'express') await runExpress({ executionId }, { awsRequestId: executionId });
    else
      await aDurableEngine({
        input: { executionId },
        createHandler: (engine) => createDurableFunction({ ...durable, client: engine }),
      }).run();
  };
};
