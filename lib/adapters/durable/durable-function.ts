import {
  type DurableContext,
  type DurableExecutionClient,
  DurableExecutionClientError,
  DurableExecutionClientErrorScope,
  type DurableExecutionInvocationInput,
  type DurableExecutionInvocationOutput,
  InvocationStatus,
  type OperationUpdate,
  withDurableExecution,
} from '@aws/durable-execution-sdk-js';
import type { Context } from 'aws-lambda';
import type { CallbackUrls } from '../../engine/session.ts';
import { createOperationBudget } from '../../engine/steps.ts';
import { type CallbackSigner, readExecutionId } from '../../executions/lifecycle/background-engine.ts';
import { createBackgroundInvocation } from '../../executions/lifecycle/background-run.ts';
import type { BackgroundPorts } from '../../executions/ports.ts';
import type { BlobStore } from '../../executions/record/blob-store.ts';
import { type AnswerPing, PING } from '../../health/ping.ts';
import { isInfrastructureError } from '../../shared/errors.ts';
import { withDenial } from '../aws/aws-error.ts';
import { createDurableSteps, createStepSerdes, MAX_OPERATIONS } from './durable-steps.ts';
import { createJournalReader } from './journal-reader.ts';
import { createPendingIo } from './pending-io.ts';

interface DurableParts extends BackgroundPorts {
  readonly client: DurableExecutionClient;
  readonly openCallbackUrls: (signer: CallbackSigner) => CallbackUrls;
  /** Operations per execution; Lambda's limit by default. */
  readonly maxOperations?: number;
}

/**
 * The function for durable runs. Lambda invokes it to start an execution, and again to replay it: after a wait, a callback,
 * a retry delay, or a crash. Its payload is `{executionId}`.
 */
export const createDurableFunction =
  (parts: DurableParts) =>
  async (
    event: DurableExecutionInvocationInput,
    context: Context,
  ): Promise<DurableExecutionInvocationOutput> => {
    const pendingIo = createPendingIo();
    const budget = createOperationBudget(parts.maxOperations ?? MAX_OPERATIONS);
    const awaited = new Set<string>();
    const client = holdStarts(createCheckpointClient(parts.client), awaited);
    const { loadPlan } = parts.otherWorkflows;
    const invocation = createBackgroundInvocation({
      ...parts,
      otherWorkflows: { ...parts.otherWorkflows, loadPlan: (...args) => pendingIo.track(loadPlan(...args)) },
    });
    /** Infrastructure errors of the run, which fail the invocation, not the execution. */
    const infrastructureErrors: unknown[] = [];
    /** Set here, because the SDK replaces the error if a result can't be read or written. */
    let isStoreDown = false;
    const checkStore = (error: unknown): never => {
      isStoreDown ||= isInfrastructureError(error);
      throw error;
    };
    const stepBlobs = new Set<string>();
    const blobs: Pick<BlobStore, 'put' | 'get'> = {
      put: (key, bytes) => {
        stepBlobs.add(key);
        return parts.blobs.put(key, bytes).catch(checkStore);
      },
      get: (key) => {
        stepBlobs.add(key);
        return parts.blobs.get(key).catch(checkStore);
      },
    };

    const run = async (payload: unknown, durable: DurableContext): Promise<void> => {
      try {
        const executionId = readExecutionId(payload);
        await invocation.run(executionId, {
          mode: 'durable',
          leaseOwner: durable.executionContext.durableExecutionArn,
          steps: createDurableSteps(
            durable,
            createStepSerdes(executionId, blobs, pendingIo),
            budget,
            awaited,
          ),
          journal: createJournalReader(event, client, blobs),
          stepBlobs,
          countOperations: () => budget.taken.length,
          openCallbackUrls: parts.openCallbackUrls,
          track: pendingIo.track,
        });
      } catch (error) {
        infrastructureErrors.push(error);
        parts.logger.error('The invocation failed; Lambda will retry it.', { cause: error });
        return checkStore(error);
      }
    };

    const { FAILED, PENDING } = InvocationStatus;
    try {
      const output = await withDurableExecution(run, { durableExecutionClient: client })(event, context);
      if (output.Status === PENDING) invocation.halt();
      if (infrastructureErrors.length > 0) throw infrastructureErrors[0];
      if (output.Status === PENDING) {
        const { isPending } = pendingIo;
        await pendingIo.allSettled();
        await invocation.suspend();
        // Only after the progress is recorded, so that the failed invocation does not count as a crash.
        if (isPending) throw new Error('The run was suspended with pending I/O; it is resumed at once.');
      }
      if (output.Status === FAILED) {
        const { ErrorType: name = 'Error', ErrorMessage: message = '' } = output.Error ?? {};
        await invocation.fail({ name, message });
      }
      return output;
    } catch (error) {
      if (isStoreDown) await invocation.uncountCrash();
      throw withDenial(error);
    } finally {
      await invocation.close();
    }
  };

const PAYLOAD = JSON.stringify(PING);

/** Reads a ping from an execution's input, since the function for durable runs is only invoked with executions. */
export const durablePing: AnswerPing = (event, toPong) => {
  const { InitialExecutionState } = event as Partial<DurableExecutionInvocationInput>;
  const payload = InitialExecutionState?.Operations?.[0]?.ExecutionDetails?.InputPayload;
  return payload === PAYLOAD ? { Status: 'SUCCEEDED', Result: JSON.stringify(toPong()) } : null;
};

/**
 * Limits the effect of a stale checkpoint token to the invocation: another process has taken over, so this one has to
 * stop, but the execution continues. The service's message is "Invalid checkpoint token"; SDK 2.4.0 matches other
 * capitals, treats the error as an invalid request, and fails the execution.
 * https://github.com/aws/aws-durable-execution-sdk-js/issues/917, fixed after 2.4.0
 * @internal
 */
export const createCheckpointClient = (client: DurableExecutionClient): DurableExecutionClient => ({
  getExecutionState: (request, logger) => client.getExecutionState(request, logger),
  checkpoint: async (request, logger) => {
    try {
      return await client.checkpoint(request, logger);
    } catch (error) {
      // Other errors are left to the SDK.
      if (!(error instanceof Error) || !/invalid checkpoint token/i.test(error.message)) throw error;
      throw new DurableExecutionClientError(error.message, {
        scope: DurableExecutionClientErrorScope.INVOCATION,
        cause: error,
      });
    }
  },
});

/** Updates in one request: what the SDK sends at most. */
const MAX_UPDATES = 250;

/**
 * Sends the starts of steps with the next other update, so that a step takes one request, not two. The SDK waits for none
 * but those of `awaited`, and repeats a step whose start is unknown like one whose start is known.
 * @internal
 */
export const holdStarts = (
  client: DurableExecutionClient,
  awaited: ReadonlySet<string>,
): DurableExecutionClient => {
  let held: readonly OperationUpdate[] = [];
  const canWait = ({ Type, Action, Name = '' }: OperationUpdate): boolean =>
    Type === 'STEP' && Action === 'START' && !awaited.has(Name);
  return {
    getExecutionState: (request, logger) => client.getExecutionState(request, logger),
    checkpoint: async (request, logger) => {
      const { Updates: updates = [], CheckpointToken } = request;
      const all = [...held, ...updates];
      if (updates.length > 0 && all.length < MAX_UPDATES && updates.every(canWait)) {
        held = all;
        return { CheckpointToken, NewExecutionState: undefined };
      }
      const before = held;
      held = [];
      if (all.length <= MAX_UPDATES) return client.checkpoint({ ...request, Updates: all }, logger);
      const first = await client.checkpoint({ ...request, Updates: [...before] }, logger);
      return client.checkpoint({ ...request, CheckpointToken: first.CheckpointToken }, logger);
    },
  };
};
