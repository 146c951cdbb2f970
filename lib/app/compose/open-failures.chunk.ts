import type { Logger } from '@hookloom/plugin-kit';
import { type AwsCallerOptions, createAwsCaller } from '../../adapters/aws/aws-caller.ts';
import { createSendFailure } from '../../adapters/aws/lambda-events.ts';
import { createRegistrationStore } from '../../adapters/dynamodb/registrations/registration-store.ts';
import type { StageTables } from '../../adapters/dynamodb/table-names.ts';
import { systemClock } from '../../adapters/runtime/system-clock.ts';
import { type FindReport, LISTENER_TYPES } from '../../executions/record/failure-reports.ts';
import { createCache } from '../../shared/cache.ts';
import { findListeners } from '../../triggers/registrations/find-listeners.ts';
import type { StoredRegistration } from '../../triggers/registrations/registration-store.ts';

export interface FailureParts extends StageTables, Pick<AwsCallerOptions, 'region' | 'endpoint'> {
  /** The function that receives the events of triggers. */
  readonly functionName: string;
  /** How long the lists of triggers that failures fire are cached; 0 reads them for every failure. */
  readonly cacheTtlMs: number;
  /** Whether all failures are reported, to be printed. */
  readonly reportsAll: boolean;
  readonly logger: Pick<Logger, 'warn'>;
}

export const openFailures = ({
  client,
  tables,
  functionName,
  cacheTtlMs: ttlMs,
  reportsAll,
  logger,
  ...lambda
}: FailureParts): FindReport => {
  const { listOfType } = createRegistrationStore(client, tables, systemClock);
  const lookUp = createCache<readonly StoredRegistration[]>({
    ttlMs,
    maxEntries: LISTENER_TYPES.length,
    clock: systemClock,
  });
  const send = createSendFailure(createAwsCaller({ service: 'lambda', ...lambda }), functionName);
  return async ({ executionId, workflowId }) => {
    const report = () => send(executionId);
    try {
      if (reportsAll) return report;
      const lists = await Promise.all(LISTENER_TYPES.map((type) => lookUp(type, () => listOfType(type))));
      return findListeners(lists.flat(), workflowId).length > 0 ? report : null;
    } catch (cause) {
      logger.warn('Could not determine whether a trigger listens for the failure.', {
        executionId,
        workflowId,
        cause,
      });
      return report;
    }
  };
};
