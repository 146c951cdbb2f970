import { randomUUID } from 'node:crypto';
import type { AsyncInvocation, Invoke } from 'lambda-stage/engine';

/** The name of an invocation in the log. */
export const labelOf = (name: string, event: unknown): string => {
  if (name === 'dispatch') return 'failure';
  if (name !== 'runExpress') return name;
  const { executionId, poll } = event as {
    readonly executionId?: string;
    readonly poll?: { readonly workflowId: string };
  };
  return `run ${executionId ?? `poll of ${poll?.workflowId}`}`;
};

/**
 * Passes a failed express run to the sweeper, which reads the dead-letter queue. The sweeper's schedule repeats the others.
 *
 * @throws Error when the sweeper fails too; the scheduled sweep also finds the execution
 */
export const createGiveUp =
  (invoke: Invoke, log: (line: string) => void) =>
  async ({ name, event, requestId, failures, reason }: AsyncInvocation): Promise<void> => {
    if (name !== 'runExpress')
      return log(`${labelOf(name, JSON.parse(event))}: gave up after ${failures} attempts`);
    const records = [toDeadLetter(event, requestId, reason)];
    await invoke('sweep', { event: { Records: records }, requestId: randomUUID() }, 'sweep').catch(
      (error: Error) => Promise.reject(new Error(`sweep: ${error.message}`)),
    );
  };

/** Maximum length of an error message; Lambda truncates longer ones. */
const ERROR_MESSAGE_LENGTH = 1_024;

/**
 * The message that SQS delivers for an event whose attempts failed. `ErrorCode` is the HTTP status of a
 * synchronous invocation of the function, which is 200 for errors of the function.
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
 */
const toDeadLetter = (body: string, requestId: string, reason: string) => ({
  messageId: randomUUID(),
  body,
  eventSource: 'aws:sqs',
  messageAttributes: {
    RequestID: messageAttribute(requestId, 'String'),
    ErrorCode: messageAttribute('200', 'Number'),
    ErrorMessage: messageAttribute(reason.slice(0, ERROR_MESSAGE_LENGTH), 'String'),
  },
});

const messageAttribute = (stringValue: string, dataType: 'String' | 'Number') => ({
  stringValue,
  stringListValues: [],
  binaryListValues: [],
  dataType,
});
