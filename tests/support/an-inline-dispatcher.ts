import { createExpressFunction } from '../../lib/app/express-handler.ts';
import type { BackgroundParts } from '../../lib/executions/lifecycle/background-run.ts';
import type { Dispatcher } from '../../lib/executions/lifecycle/dispatch-execution.ts';

/** The function for express runs, called before the launch resolves: what it came to is in the record by then. */
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

/** Events that are kept, and nobody listens to. */
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
