const OWNER = 'us-east-1:000000000000';

/** The ARN prefix of queues on this machine. */
export const LOCAL_QUEUES = `arn:aws:sqs:${OWNER}:`;

/** The ARN prefix of event buses on this machine. */
export const LOCAL_BUSES = `arn:aws:events:${OWNER}:event-bus/`;

/** The name of the queue of an ARN; null if it belongs to a different account or region. */
export const toQueueName = (arn: string): string | null =>
  arn.startsWith(LOCAL_QUEUES) ? arn.slice(LOCAL_QUEUES.length) : null;
