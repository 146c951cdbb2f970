import {
  type DurableContext,
  type DurableExecutionClient,
  type DurableExecutionInvocationInput,
  type DurableExecutionInvocationOutput,
  InvocationStatus,
  withDurableExecution,
} from '@aws/durable-execution-sdk-js';
import type { Context } from 'aws-lambda';
import { createOperationBudget } from '../../engine/operation-budget.ts';
import type { CallbackUrls } from '../../engine/session.ts';
import {
  type BackgroundParts,
  createBackgroundInvocation,
} from '../../executions/lifecycle/background-run.ts';
import type { BlobStore } from '../../executions/record/blob-store.ts';
import type { ExecutionRecord } from '../../executions/record/execution-store.ts';
import { readExecutionId } from '../../executions/record/read-execution-id.ts';
import { isAppError } from '../../shared/errors.ts';
import { createCheckpointClient } from './checkpoint-client.ts';
import { createDurableSteps } from './durable-steps.ts';
import { createJournalReader } from './journal-reader.ts';
import { createPendingIo } from './pending-io.ts';
import { createStepSerdes } from './step-serdes.ts';

interface DurableParts extends BackgroundParts {
  /** Where steps are remembered. */
  readonly client: DurableExecutionClient;
  readonly openCallbackUrls: (record: ExecutionRecord) => CallbackUrls;
  /** Operations that one execution may have; as many as Lambda allows by default. */
  readonly maxOperations?: number;
}

/**
 * The function that runs executions durably. Lambda calls it to begin one, and again whenever there is something to
 * go on with: after a wait, an answer, a delay before another attempt, or a crash. Its payload is `{executionId}`.
 */
export const createDurableFunction =
  (parts: DurableParts) =>
  async (
    event: DurableExecutionInvocationInput,
    context: Context,
  ): Promise<DurableExecutionInvocationOutput> => {
    const busy = createPendingIo();
    const { maxOperations } = parts;
    const budget = maxOperations === undefined ? undefined : createOperationBudget(maxOperations);
    const client = createCheckpointClient(parts.client);
    const { loadPlan } = parts.otherWorkflows;
    const invocation = createBackgroundInvocation({
      ...parts,
      otherWorkflows: { ...parts.otherWorkflows, loadPlan: (...which) => busy.track(loadPlan(...which)) },
    });
    /** An infrastructure error: the invocation fails, the execution does not. */
    let fault: { readonly cause: unknown } | null = null;
    /** Whether a store could not be had: of a result that can't be read or written the SDK says no more than that. */
    let isStoreDown = false;
    const note = (cause: unknown): never => {
      isStoreDown ||= isAppError(cause, 'STORE_UNAVAILABLE');
      throw cause;
    };
    const blobs: BlobStore = {
      put: (...blob) => parts.blobs.put(...blob).catch(note),
      get: (key) => parts.blobs.get(key).catch(note),
    };

    const run = async (payload: unknown, durable: DurableContext): Promise<void> => {
      try {
        const executionId = readExecutionId(payload);
        await invocation.run(executionId, {
          mode: 'durable',
          leaseOwner: durable.executionContext.durableExecutionArn,
          steps: createDurableSteps(durable, createStepSerdes(executionId, blobs, busy), budget),
          journal: createJournalReader(event, client, blobs),
          openCallbackUrls: parts.openCallbackUrls,
          track: busy.track,
        });
      } catch (cause) {
        fault = { cause };
        return note(cause);
      }
    };

    const { FAILED, PENDING } = InvocationStatus;
    try {
      const output = await withDurableExecution(run, { durableExecutionClient: client })(event, context);
      if (output.Status === PENDING) invocation.halt();
      throwFault(fault);
      if (output.Status === PENDING && busy.isPending) {
        await busy.whenIdle();
        await invocation.suspend(); // or it would pass for a crash
        throw new Error('The run was suspended while it had something to do; it is to be resumed at once.');
      }
      if (output.Status === PENDING) await invocation.suspend();
      if (output.Status === FAILED) {
        const { ErrorType: name = 'Error', ErrorMessage: message = '' } = output.Error ?? {};
        await invocation.fail({ name, message });
      }
      return output;
    } catch (error) {
      if (isStoreDown) await invocation.uncountCrash();
      throw error;
    } finally {
      await invocation.close();
    }
  };

const throwFault = (fault: { readonly cause: unknown } | null): void => {
  if (fault !== null) throw fault.cause;
};
