import { type AwsOperation, isPlainObject, type JsonObject, NodeError } from '@hookloom/plugin-kit';
import { isAppError } from '../../shared/errors.ts';
import { describeMissingPermission, isDenied } from './missing-permission.ts';
import { isRetryable } from './retryable.ts';
import type { SdkError } from './sdk-error.ts';

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
  const name = NAME.test(error.name) && error.name !== 'Error' ? error.name : nameOf(status);
  const details: JsonObject = {
    service,
    operation: called,
    ...(status === undefined ? {} : { status }),
    ...(typeof requestId === 'string' ? { requestId: cut(requestId) } : {}),
    ...(status === undefined ? {} : readFields(error)),
  };
  const said = cut(status !== undefined && isUnreadable(error) ? unreadable(status) : error.message);
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

const nameOf = (status: number | undefined): string =>
  status === undefined ? 'InputInvalid' : `AwsStatus${status}`;

const cut = (text: string): string =>
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
    const fields: unknown = Buffer.byteLength(text) <= MAX_FIELD_BYTES ? JSON.parse(text) : null;
    return isPlainObject(fields) ? { fields: fields as JsonObject } : {};
  } catch {
    return {}; // no JSON
  }
};

/** Fields that every error of a service has. */
const INTERNAL = new Set(['Code', 'Message', 'RequestId', 'HostId', 'Type']);
