import type { Logger } from '@hookloom/plugin-kit';
import { type AwsCallerOptions, createAwsCaller } from '../../adapters/aws/aws-caller.ts';
import { createSendFailure } from '../../adapters/aws/lambda-events.ts';
import { createRegistrationStore } from '../../adapters/dynamodb/registrations/registration-store.ts';
import type { StageTables } from '../../adapters/dynamodb/table-names.ts';
import { systemClock } from '../../adapters/runtime/system-clock.ts';
import { ERROR_TRIGGER, type FindReport } from '../../executions/record/failure-reports.ts';
import { createCache } from '../../shared/cache.ts';
import { findListeners } from '../../triggers/registrations/find-listeners.ts';
import type { StoredRegistration } from '../../triggers/registrations/registration-store.ts';

export interface FailureParts extends StageTables, Pick<AwsCallerOptions, 'region' | 'endpoint'> {
  /** The function that receives the events of triggers. */
  readonly functionName: string;
  /** How long the list of error triggers is cached; 0 reads it for every failure. */
  readonly cacheTtlMs: number;
  readonly logger: Pick<Logger, 'warn'>;
}

export const openFailures = ({
  client,
  tables,
  functionName,
  cacheTtlMs: ttlMs,
  logger,
  ...lambda
}: FailureParts): FindReport => {
  const { listOfType } = createRegistrationStore(client, tables, systemClock);
  const lookUp = createCache<readonly StoredRegistration[]>({ ttlMs, maxEntries: 1, clock: systemClock });
  const send = createSendFailure(createAwsCaller({ service: 'lambda', ...lambda }), functionName);
  return async ({ executionId, workflowId }) => {
    const report = () => send(executionId);
    try {
      const registrations = await lookUp(ERROR_TRIGGER, () => listOfType(ERROR_TRIGGER));
      return findListeners(registrations, workflowId).length > 0 ? report : null;
    } catch (cause) {
      logger.warn('Could not determine whether an error trigger listens for the failure.', {
        executionId,
        workflowId,
        cause,
      });
      return report;
    }
  };
};
