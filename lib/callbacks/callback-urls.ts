import type { Clock } from '../contract/services.ts';
import type { CallbackUrls } from '../engine/session.ts';
import type { ExecutionRecord, ExecutionStore } from '../executions/record/execution-store.ts';
import { signToken } from './callback-token.ts';

interface CallbackUrlParts {
  readonly executions: Pick<ExecutionStore, 'openCallback'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Where the service is reached from outside: `https://host`, without a slash at the end. */
  readonly publicUrl: string;
  /** Told of each address when it becomes good; for a person at the terminal of the local service. */
  readonly onOpen?: (url: string) => void;
}

/** Gives out the addresses at which one execution is answered. */
export const createCallbackUrls = (
  { executions, clock, publicUrl, onOpen }: CallbackUrlParts,
  { executionId, callbackKey }: Pick<ExecutionRecord, 'executionId' | 'callbackKey'>,
): CallbackUrls => {
  const urlOf = (name: string, expiresAt: number): string => {
    if (callbackKey === null) throw new Error('this execution has no key to sign addresses with');
    return `${publicUrl}/api/webhook-callback/${signToken({ executionId, name, expiresAt }, callbackKey)}`;
  };
  return {
    urlOf,
    open: async (name, callbackId, timeoutSeconds) => {
      const expiresAt = clock.now() + Math.ceil(timeoutSeconds) * 1_000;
      await executions.openCallback(executionId, name, { callbackId, expiresAt });
      onOpen?.(urlOf(name, expiresAt));
      return expiresAt;
    },
  };
};
