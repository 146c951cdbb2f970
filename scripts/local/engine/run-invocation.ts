import type { Invocation, Outcome } from './invoke-in-process.ts';

// The process of one invocation: gets the event from the engine, calls the function, tells what came of it, and ends.

/** As Lambda gives a function to end. */
const TIME_LIMIT_MS = 900_000;

const run = async ({ module, event, requestId }: Invocation): Promise<Outcome> => {
  const startedAt = Date.now();
  const context = {
    awsRequestId: requestId,
    functionName: module,
    invokedFunctionArn: `arn:aws:lambda:local:000000000000:function:${module}`,
    getRemainingTimeInMillis: () => Math.max(0, startedAt + TIME_LIMIT_MS - Date.now()),
  };
  try {
    const { handler } = await import(`../../../functions/${module}`);
    return { output: (await handler(event, context)) ?? null };
  } catch (error) {
    return { error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
};

process.once('message', async (invocation: Invocation) => {
  const outcome = await run(invocation);
  process.send?.(outcome, () => process.exit(0));
});
process.once('disconnect', () => process.exit(1)); // the engine has ended
