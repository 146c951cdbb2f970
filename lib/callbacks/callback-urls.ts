import type { Clock } from '../contract/services.ts';
import type { CallbackUrls } from '../engine/session.ts';
import type { CallbackSigner } from '../executions/lifecycle/background-engine.ts';
import type { ExecutionStore } from '../executions/record/execution-store.ts';
import { signToken } from './callback-token.ts';

interface CallbackUrlParts {
  readonly executions: Pick<ExecutionStore, 'openCallback'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Public origin of the service: `https://host`, without a trailing slash. */
  readonly publicUrl: string;
  /** Called with each URL once it is valid; the local service prints it. */
  readonly onOpen?: (url: string) => void;
}

/** Issues the signed callback URLs of one execution. */
export const createCallbackUrls = (
  { executions, clock, publicUrl, onOpen }: CallbackUrlParts,
  { executionId, callbackKey }: CallbackSigner,
): CallbackUrls => {
  const urlOf = (name: string, expiresAt: number): string => {
    if (callbackKey === null) throw new Error('this execution has no key to sign callback URLs with');
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
