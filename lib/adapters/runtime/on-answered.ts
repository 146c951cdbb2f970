/**
 * Calls `act` once the caller has the result of a handler, and before the process is given its next event.
 *
 * Nothing tells a handler that its result was sent. This goes by what is done with it. Lambda's runtime client for
 * Node 24 (aws-lambda-ric 4) serialises it, which calls `toJSON`, and posts it by a call that returns when the Runtime API
 * has accepted it; some microtasks later it asks for the next event. A microtask that `toJSON` queues comes between the
 * two. The Runtime API (aws-lambda-runtime-interface-emulator, the open part of Lambda's) writes an accepted result to
 * the caller before it says so, and sends no other in its place when the process ends then; a process that ends
 * later, while it waits for its next event, would fail that. So far that is what their sources say: it was not tried
 * on AWS. The local service writes a result in the same way, by a call that returns when it is written.
 *
 * A result that nothing serialises calls nothing: the process goes on, and no event is ever lost to it.
 */
export const onAnswered = <Result>(result: Result, act: () => void): Result => {
  const toJSON = () => {
    queueMicrotask(act);
    return result ?? null;
  };
  if (typeof result !== 'object' || result === null) return { toJSON } as Result;
  return Object.defineProperty(result, 'toJSON', { value: toJSON, configurable: true });
};
