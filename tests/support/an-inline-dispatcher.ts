import { createExpressFunction } from '../../lib/app/express-handler.ts';
import type { BackgroundPorts, Dispatcher } from '../../lib/executions/ports.ts';
import type { EndedExecution } from '../../lib/executions/record/execution-store.ts';

/** Runs an execution on the express function before the dispatch resolves. */
export const anInlineDispatcher = (parts: BackgroundPorts): Dispatcher => {
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
  const ends: EndedExecution[] = [];
  return {
    published,
    /** The same in full. */
    ends,
    events: {
      publish: async (end: EndedExecution) => {
        published.push(`${end.executionId} ${end.status}`);
        ends.push(end);
      },
    },
    usesOutbox: false,
  };
};
