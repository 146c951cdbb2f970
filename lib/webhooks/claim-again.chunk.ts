import { createHash } from 'node:crypto';
import type { ClaimedDelivery, ClaimPorts } from '../executions/deliveries/claim-delivery.ts';
import { toExecutionId } from '../executions/deliveries/to-execution-id.ts';
import type { Ports } from '../executions/ports.ts';
import { type ExecutionRecord, keyIdOf } from '../executions/record/execution-store.ts';
import { ALREADY_STARTED } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import type { PathConfig } from '../workflows/definition/path-config.ts';
import { readResult } from './read-result.ts';

type AgainPorts = Pick<ClaimPorts, 'deliveries' | 'windowMs'> & Pick<Ports, 'executions' | 'blobs'>;

/** A delivery whose execution's record was read, null for none. */
type KnownDelivery = ClaimedDelivery & { readonly known: ExecutionRecord | null };

/**
 * For the delivery of an execution that has failed, or of one that replaces it, one for another run: senders repeat what
 * was answered with a 500. What the workflow itself has answered stays the answer.
 *
 * @throws AppError `ALREADY_STARTED` | `STORE_UNAVAILABLE`
 */
export const repeatFailed = async (
  { known, ...claimed }: KnownDelivery,
  { responseMode }: Pick<PathConfig, 'responseMode'>,
  parts: AgainPorts,
): Promise<KnownDelivery> => {
  if (known === null) return { ...(await takeOver(claimed, null, parts)), known };
  const result = await readResult(known, parts.blobs);
  const isAnswered = responseMode === 'responseNode' && result?.response !== null;
  return result === null || isAnswered
    ? { ...claimed, known }
    : { ...(await claimAgain(claimed, known, parts)), known: null };
};

/**
 * Claims a delivery again whose execution has failed, for a new execution with its checkpoints and idempotency keys, so
 * that what succeeded is not done twice.
 *
 * @throws AppError `ALREADY_STARTED` if a concurrent delivery has claimed it, `STORE_UNAVAILABLE`
 */
const claimAgain = async (
  claimed: ClaimedDelivery,
  failed: ExecutionRecord,
  parts: AgainPorts,
): Promise<ClaimedDelivery> => {
  const { claim, receivedAt } = claimed;
  if (claim === undefined) return claimed;
  const { executionId: retries } = failed;
  const id = createHash('sha256').update(`${claim.deliveryId}/after/${retries}`).digest('base64url');
  const again = {
    ...claim,
    executionId: toExecutionId(id),
    retries,
    claimedAt: receivedAt,
    until: receivedAt + parts.windowMs,
  };
  if (!(await parts.deliveries.takeOver(again)))
    throw new AppError(ALREADY_STARTED, { executionId: again.executionId });
  return takeOver({ ...claimed, claim: again }, failed, parts);
};

/**
 * What an execution takes over that a claim has for a repeated delivery: also for a process that continues after another
 * one has claimed it, and crashed.
 * @throws AppError `STORE_UNAVAILABLE`
 */
const takeOver = async (
  { claim, execution, ...claimed }: ClaimedDelivery,
  failed: ExecutionRecord | null,
  { executions }: AgainPorts,
): Promise<ClaimedDelivery> => {
  const { executionId = '', retries = '' } = claim ?? {};
  const record = failed ?? (await executions.find(retries));
  const data = record === null ? null : await executions.findData(retries);
  const failedNode = record?.nodes.find(
    ({ nodeId, status }) => status === 'failed' && nodeId === record.failure?.nodeId,
  );
  const retryOf = {
    executionId: retries,
    fromNodeId: failedNode === undefined ? null : (failedNode.within?.split('/')[0] ?? failedNode.nodeId),
    keysOf: record === null ? retries : keyIdOf(record),
  };
  const retriedCheckpoints = retryOf.fromNodeId === null ? null : (data?.checkpoints ?? null);
  const takenOver = { retryOf, retriedCheckpoints };
  return {
    ...claimed,
    execution: { ...execution, executionId, takenOver },
    isDuplicate: false,
    ...(claim === undefined ? {} : { claim }),
  };
};
