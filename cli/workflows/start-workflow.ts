import type { Clock, JsonObject, Logger } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { randomIds } from '../../lib/adapters/runtime/random-ids.ts';
import { NOT_STARTABLE } from '../../lib/shared/error-catalogue.ts';
import { AppError } from '../../lib/shared/errors.ts';
import type { StartParts } from '../../lib/triggers/start-by-event.ts';
import { startByHand } from '../../lib/triggers/start-by-hand.ts';

/** The service's own default. */
const MAX_INPUT_DEPTH = 100;

interface Start {
  readonly workflowId: string;
  /** Null to use the only trigger. */
  readonly triggerNodeId: string | null;
  readonly input: JsonObject;
  /** Whether to keep the output for printing. */
  readonly keepsResult: boolean;
}

interface Parts extends Pick<StartParts, 'workflows' | 'executions' | 'deliveries' | 'dispatcher'> {
  readonly findNodeType: FindNodeType;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Logger;
}

/**
 * Starts a workflow by hand; each call is a new execution.
 *
 * @throws AppError `NOT_STARTABLE` for an input too large for a record: commands can't access the service's
 *   bucket; also see {@link startByHand}
 */
export const startWorkflow = ({ workflowId, ...start }: Start, { findNodeType, ...parts }: Parts) => {
  const refuseLarge = () => {
    const reason = `the input is too large for a command; send it to POST /api/admin/workflows/${workflowId}/executions`;
    return Promise.reject(new AppError(NOT_STARTABLE, { workflowId, reason }));
  };
  return startByHand(
    { ...start, workflowId, key: null, content: '', traceparent: null },
    {
      ...parts,
      blobs: { put: refuseLarge },
      ids: randomIds,
      loadNodeTypes: async () => findNodeType,
      windowMs: 0,
      maxInputDepth: MAX_INPUT_DEPTH,
    },
  );
};
