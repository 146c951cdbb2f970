import { describeError, describeFinal } from './errors.ts';

/*
 * The errors of a node's `services`. A plugin may catch them, and may throw them itself if it has its own client:
 * `throw new CatalogueError(OUTBOUND_FAILED, { target, reason }, cause)`.
 */

// Requests; `target` is method and host, such as `GET api.example.com`
export const OUTBOUND_REFUSED = (p: { target: string; reason: string }) =>
  describeFinal('OUTBOUND_REFUSED', 502, `${p.target} was refused: ${p.reason}.`, 'Outbound request refused');
// `isAnswered` says that the server has answered, with something that can't be used
export const OUTBOUND_FAILED = (p: { target: string; reason: string; isAnswered?: boolean }) => ({
  ...describeError('OUTBOUND_FAILED', 502, `${p.target} failed: ${p.reason}.`, 'Outbound request failed'),
  isRetryable: p.isAnswered !== true,
});
export const OUTBOUND_TIMEOUT = (p: { target: string; timeoutMs: number }) =>
  describeError(
    'OUTBOUND_TIMEOUT',
    504,
    `${p.target} timed out after ${p.timeoutMs} ms.`,
    'Outbound request timed out',
  );
export const OUTBOUND_TOO_LARGE = (p: { target: string; limitBytes: number }) =>
  describeFinal(
    'OUTBOUND_TOO_LARGE',
    502,
    `${p.target} returned more than ${p.limitBytes} bytes.`,
    'Outbound response too large',
  );
export const CREDENTIAL_REJECTED = (p: { target: string; reason: string }) =>
  describeError('CREDENTIAL_REJECTED', 502, `${p.target} rejected the credential: ${p.reason}.`);

// Files of an execution
export const FILE_INVALID = (p: { reason: string }) =>
  describeFinal('FILE_INVALID', 500, `This is not a file of the execution: ${p.reason}.`);
export const FILE_NOT_FOUND = (p: { name: string }) =>
  describeFinal('FILE_NOT_FOUND', 404, `The file "${p.name}" was never saved, or has expired.`);
export const FILE_CHANGED = (p: { name: string }) =>
  describeFinal('FILE_CHANGED', 500, `The content of file "${p.name}" has changed since it was saved.`);
export const FILE_TOO_LARGE = (p: { name: string; limitBytes: number }) =>
  describeFinal('FILE_TOO_LARGE', 413, `The file "${p.name}" is larger than ${p.limitBytes} bytes.`);
export const TOO_MANY_FILES = (p: { limit: number }) =>
  describeFinal('TOO_MANY_FILES', 500, `The execution exceeds the limit of ${p.limit} files.`);
