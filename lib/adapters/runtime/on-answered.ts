/**
 * Calls `act` after the result of a handler was sent, and before the process gets its next event.
 *
 * Lambda has no hook for that. Its runtime client for Node 24 (aws-lambda-ric 4) serialises the result, which calls
 * `toJSON`, and posts it by a call that returns when the Runtime API has accepted it; some microtasks later it asks for
 * the next event. A microtask that `toJSON` queues runs between the two. The Runtime API
 * (aws-lambda-runtime-interface-emulator, the open part of Lambda's) writes an accepted result to the caller before it
 * acknowledges it, and keeps it when the process ends then; a process that ends later, while it waits for an event,
 * fails that event. This follows from the sources, and was not tried on AWS. The local service writes results
 * synchronously, too.
 *
 * A result that is never serialised calls nothing: the process stays, and no event is lost.
 */
export const onAnswered = <Result>(result: Result, act: () => void): Result => {
  const toJSON = () => {
    queueMicrotask(act);
    return result ?? null;
  };
  if (typeof result !== 'object' || result === null) return { toJSON } as Result;
  return Object.defineProperty(result, 'toJSON', { value: toJSON, configurable: true });
};
