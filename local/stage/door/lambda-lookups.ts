import type { LambdaLookups } from './calls/lambda-calls.ts';

const MAX_CALLBACKS = 100_000;

const MAPPINGS = '/2015-03-31/event-source-mappings/';

/** What the permissions of a Lambda call depend on besides the call itself. */
interface LearningLookups extends LambdaLookups {
  /** Records the callbacks of a durable execution, which responses to its calls name. */
  learn(durableExecutionArn: string, answer: string): void;
}

/** @param toFunctionArn - of a name */
export const createLambdaLookups = (
  origin: string | undefined,
  toFunctionArn: (name: string) => string,
): LearningLookups => {
  const executions = new Map<string, string>();
  return {
    learn: (execution, answer) => {
      for (const [, callback = ''] of answer.matchAll(/"CallbackId":"([^"]{1,1024})"/g))
        if (executions.size < MAX_CALLBACKS) executions.set(callback, execution);
    },
    findDurableExecution: async (callback) => executions.get(callback) ?? null,
    findMappedFunction: async (uuid) => {
      if (origin === undefined) return null;
      const answer = await fetch(`${origin}${MAPPINGS}`);
      const { EventSourceMappings = [] } = (await answer.json()) as {
        readonly EventSourceMappings?: readonly Readonly<Record<string, string>>[];
      };
      const found = EventSourceMappings.find(({ UUID }) => UUID === uuid);
      const name = found?.FunctionArn ?? found?.FunctionName;
      return name === undefined ? null : name.startsWith('arn:') ? name : toFunctionArn(name);
    },
  };
};
