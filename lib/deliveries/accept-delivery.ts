import { type AcceptParts, acceptExecution } from '../executions/lifecycle/accept-execution.ts';
import type { ExecutionRecord, Hold } from '../executions/record/execution-store.ts';
import type { BackgroundMode } from '../workflows/definition/definition.ts';
import type { ClaimedDelivery } from './claim-delivery.ts';

/**
 * Stores the execution of a claimed delivery and dispatches it unless it is held: see {@link acceptExecution}.
 *
 * @returns the record if the execution was accepted before, or null
 * @throws AppError `STORE_UNAVAILABLE` | `DISPATCH_REFUSED`
 */
export const acceptDelivery = (
  { execution, receivedAt, isKeyed }: ClaimedDelivery,
  mode: BackgroundMode,
  parts: AcceptParts,
  held: Hold | null = null,
): Promise<ExecutionRecord | null> =>
  acceptExecution(execution, { mode, startedAt: receivedAt, isRepeatable: isKeyed, held }, parts);
