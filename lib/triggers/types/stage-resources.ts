import type { RegistrationContext } from '@hookloom/plugin-kit';

type Stage = Pick<RegistrationContext, 'partition' | 'accountId' | 'prefix' | 'region'>;

/** The role with which Scheduler invokes the function that receives events, named as in serverless.yml. */
export const schedulerRole = ({ partition, accountId, prefix, region }: Stage): string =>
  `arn:${partition}:iam::${accountId}:role/${prefix}-${region}-scheduler`;

/** The queue for events that could not be delivered, named as in serverless.yml. */
export const triggerDeadLetters = ({ partition, accountId, prefix, region }: Stage): string =>
  `arn:${partition}:sqs:${region}:${accountId}:${prefix}-trigger-dead-letters`;

/** Shorter than the window in which a repeated event is a duplicate. */
export const RETRIES = { MaximumEventAgeInSeconds: 21_600, MaximumRetryAttempts: 185 } as const;
