import {
  type AwsOperation,
  isPlainObject,
  type JsonObject,
  NodeError,
  parseJson,
} from '@hookloom/plugin-kit';
import { isAppError } from '../../shared/errors.ts';
import { type IamStatement, toPermissions, toStatements } from '../../shared/iam/permission.ts';
import { findDenial } from '../aws/aws-error.ts';

const NAME = /^\w{1,80}$/;
const MAX_MESSAGE_LENGTH = 400;
const MAX_FIELD_BYTES = 16_384;

/** Turns the error of a call into the failure of a node. */
export const toNodeError = (error: unknown, operation: AwsOperation): Error => {
  if (!(error instanceof Error) || isAppError(error)) return error as Error;
  const { service, operation: called, timeoutMs } = operation;
  const call = `${service} ${called}`;
  if (error.name === 'AbortError')
    return new NodeError(`${call} did not finish within ${timeoutMs} ms`, {
      name: 'TimeoutError',
      details: { service, operation: called },
      cause: error,
    });
  const { $metadata = {} } = error as SdkError;
  const { httpStatusCode: status, requestId } = $metadata;
  const name = NAME.test(error.name) && error.name !== 'Error' ? error.name : nameOfStatus(status);
  const details: JsonObject = {
    service,
    operation: called,
    ...(status === undefined ? {} : { status }),
    ...(typeof requestId === 'string' ? { requestId: cutMessage(requestId) } : {}),
    ...(status === undefined ? {} : readFields(error)),
  };
  const said = cutMessage(status !== undefined && isUnreadable(error) ? unreadable(status) : error.message);
  if (isDenied(error as SdkError, called)) {
    const { message, statements } = describeMissingPermission(said, operation);
    const denied = { ...details, statements };
    return new NodeError(`${call}: ${message}`, { name, isRetryable: false, details: denied, cause: error });
  }
  return new NodeError(`${call} failed: ${said || name}`, {
    name,
    isRetryable: isRetryable(error as SdkError),
    details,
    cause: error,
  });
};

const nameOfStatus = (status: number | undefined): string =>
  status === undefined ? 'InputInvalid' : `AwsStatus${status}`;

const cutMessage = (text: string): string =>
  text.length <= MAX_MESSAGE_LENGTH ? text : `${text.slice(0, MAX_MESSAGE_LENGTH - 1)}…`;

/** Whether a body could not be parsed. The SDK's own message contains advice for developers. */
const isUnreadable = ({ name, message }: Error): boolean =>
  name === 'SyntaxError' || message.includes('Deserialization error');

const unreadable = (status: number): string =>
  `the answer, with status ${status}, does not come from the service`;

/** What the service adds to an error, such as `CancellationReasons` of a transaction. */
const readFields = (error: Error): JsonObject => {
  const { name: _name, message: _message, ...others } = { ...error } as Readonly<Record<string, unknown>>;
  const entries = Object.entries(others).filter(([key]) => /^[A-Za-z]/.test(key) && !INTERNAL.has(key));
  if (entries.length === 0) return {};
  try {
    const text = JSON.stringify(Object.fromEntries(entries));
    const fields: unknown = Buffer.byteLength(text) <= MAX_FIELD_BYTES ? parseJson(text) : null;
    return isPlainObject(fields) ? { fields: fields as JsonObject } : {};
  } catch {
    return {}; // no JSON
  }
};

/** Fields that every error of a service has. */
const INTERNAL = new Set(['Code', 'Message', 'RequestId', 'HostId', 'Type']);

const DENIED = new Set([
  'AccessDenied',
  'AccessDeniedException',
  'AuthorizationError',
  'AuthorizationErrorException',
  'UnauthorizedOperation',
]);

/** Whether the caller lacks a permission. The answer to a HEAD request has no body, and so no name. */
const isDenied = ({ name, $metadata }: SdkError, operation: string): boolean =>
  DENIED.has(name) || ($metadata?.httpStatusCode === 403 && /^[Hh]ead[A-Z]/.test(operation));

/**
 * Describes what to add, and where.
 * @param said - what AWS said, shortened
 */
const describeMissingPermission = (
  said: string,
  operation: AwsOperation,
): { readonly message: string; readonly statements: JsonObject[] } => {
  const statements = findStatements(said, operation);
  const { credential } = operation;
  const place =
    credential === undefined
      ? 'custom.workflowStatements in serverless.yml'
      : `the policy of the role ${credential.field('roleArn')}`;
  const message = `a permission is missing: add ${JSON.stringify(statements).slice(1, -1)} to ${place}. AWS: ${said}`;
  return { message, statements: statements as unknown as JsonObject[] };
};

/** Uses the permission that AWS names, which is exact, or else derives it from the input. */
const findStatements = (said: string, operation: AwsOperation): IamStatement[] => {
  const { action, resource } = findDenial(said) ?? {};
  if (action !== undefined && resource?.startsWith('arn:') === true)
    return toStatements([{ action, resource, isExact: true }]);
  return toStatements(toPermissions(operation));
};

/** Error names that the SDK retries. https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html */
const PASSING = new Set([
  'BandwidthLimitExceeded',
  'EC2ThrottledException',
  'LimitExceededException',
  'PriorRequestNotComplete',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'RequestTimeout',
  'RequestTimeoutException',
  'SlowDown',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TimeoutError',
  'TooManyRequestsException',
  'TransactionInProgressException',
]);

/** Whether another attempt may succeed after an error other than a connection error. */
const isRetryable = (error: SdkError): boolean => {
  const { httpStatusCode: status = 0 } = error.$metadata ?? {};
  return error.$retryable !== undefined || PASSING.has(error.name) || status === 429 || status >= 500;
};

/** An error of the SDK. Fields that come from the service may be anything. */
interface SdkError extends Error {
  readonly $retryable?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: number; readonly requestId?: string };
}
