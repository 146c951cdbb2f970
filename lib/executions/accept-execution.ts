import { randomBytes } from 'node:crypto';
import type { BlobStore } from '../blobs/blob-store.ts';
import { packText } from '../blobs/pack-value.ts';
import type { JsonObject } from '../contract/json.ts';
import type { Ids, Logger } from '../contract/services.ts';
import { AppError } from '../errors.ts';
import type { BackgroundMode } from '../workflows/definition.ts';
import type { ExecutionRecord, ExecutionStart, ExecutionStore } from './execution-store.ts';
import { launchOrWithdraw } from './launch-execution.ts';
import type { Launcher } from './launcher.ts';
import { PACKED_BYTES } from './pack-result.ts';

/** A background run that is to happen. */
export interface Acceptance
  extends Pick<
    ExecutionStart,
    'executionId' | 'workflowId' | 'workflowVersion' | 'trigger' | 'startedAt' | 'keepsResult'
  > {
  readonly mode: BackgroundMode;
  /** What the trigger gets. */
  readonly input: JsonObject;
  /** Whether somebody who tries again names the same execution. */
  readonly isRepeatable: boolean;
}

export interface AcceptParts {
  readonly executions: ExecutionStore;
  readonly launcher: Launcher;
  readonly blobs: BlobStore;
  readonly ids: Ids;
  readonly logger: Logger;
}

/**
 * Stores an execution, then hands it over to the engine that runs it. Each of the two happens once, however often it
 * is asked for and wherever it was interrupted before. When it resolves, the run is certain to happen.
 * @returns the execution as it was found when it had been accepted before, null when it was accepted now
 * Rejects with AppError `STORE_UNAVAILABLE` | `LAUNCH_REFUSED`: then it was not started, or the same execution is
 * started by trying again.
 */
export const acceptExecution = async (
  acceptance: Acceptance,
  parts: AcceptParts,
): Promise<ExecutionRecord | null> => {
  const { executions, launcher } = parts;
  const { executionId, mode, isRepeatable } = acceptance;
  const known = isRepeatable ? await executions.find(executionId) : null;
  if (known !== null) return relaunch(known, launcher);
  const start = await toStart(acceptance, parts);
  if (!(await executions.start(start))) {
    const other = await executions.find(executionId);
    // Expired between the two: to launch it now would run nothing.
    if (other === null) throw new AppError('STORE_UNAVAILABLE', {});
    return relaunch(other, launcher);
  }
  // Whoever may try again names this very execution: it stays.
  if (isRepeatable) await launcher.launch(executionId, mode);
  else await launchOrWithdraw(start, mode, parts);
  return null;
};

/** Whoever accepted it may not have got as far as to launch it. */
const relaunch = async (record: ExecutionRecord, launcher: Launcher): Promise<ExecutionRecord> => {
  const { executionId, status, mode } = record;
  if (status === 'accepted' && mode !== 'inline') await launcher.launch(executionId, mode);
  return record;
};

const toStart = async (acceptance: Acceptance, { blobs, ids }: AcceptParts): Promise<ExecutionStart> => {
  const { executionId, workflowId, workflowVersion, trigger, mode, startedAt, keepsResult, input } =
    acceptance;
  const key = `executions/${executionId}/input`;
  return {
    ...{ executionId, workflowId, workflowVersion, trigger, mode, startedAt, keepsResult },
    status: 'accepted',
    startToken: ids.next(),
    input: await packText(JSON.stringify(input), { limitBytes: PACKED_BYTES, key, blobs }),
    callbackKey: drawCallbackKey(),
    retryOf: null,
    seed: null,
  };
};

/** 256 random bits. */
export const drawCallbackKey = (): string => randomBytes(32).toString('base64url');
