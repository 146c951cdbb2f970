import { fork } from 'node:child_process';
import { once } from 'node:events';

/**
 * A stand-in for DynamoDB and EventBridge that answers every call immediately. It is a separate process, so that its CPU
 * time does not count.
 * @param answers - JSON texts by operation; `{}` for any other
 */
export const startStandIn = async (answers: Readonly<Record<string, string>>) => {
  const child = fork(new URL('stand-in-process.ts', import.meta.url), [JSON.stringify(answers)]);
  const [endpoint] = (await once(child, 'message')) as [string];
  return { endpoint, stop: () => child.disconnect() };
};
