import { createExpressFunction } from '../../lib/app/express-handler.ts';
import type { BackgroundParts } from '../../lib/executions/lifecycle/background-run.ts';
import type { Dispatcher } from '../../lib/executions/lifecycle/dispatch-execution.ts';

/** Runs an execution on the express function before the dispatch resolves. */
export const anInlineDispatcher = (parts: BackgroundParts): Dispatcher => {
  const run = createExpressFunction(parts);
  let requests = 0;
  return {
    dispatch: async (executionId) => {
      requests += 1;
      await run({ executionId }, { awsRequestId: `request-${requests}` });
    },
  };
};

/** Keeps the published events. */
export const keptEvents = () => {
  const published: string[] = [];
  return {
    published,
    events: {
      publish: async ({ executionId, status }: { executionId: string; status: string }) => {
        published.push(`${executionId} ${status}`);
      },
    },
    usesOutbox: false,
  };
};
