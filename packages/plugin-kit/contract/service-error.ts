import { CatalogueError, entry } from './catalogue-error.ts';
import { hasBrand } from './error-brand.ts';

/** The errors of a node's `services`, which a plugin may catch, and may throw itself if it has its own client. */
export const serviceErrors = {
  // Requests; `target` is method and host, such as `GET api.example.com`
  OUTBOUND_REFUSED: entry(
    502,
    'Outbound request refused',
    (p: { target: string; reason: string }) => `${p.target} was refused: ${p.reason}.`,
  ),
  OUTBOUND_FAILED: entry(
    502,
    'Outbound request failed',
    (p: { target: string; reason: string }) => `${p.target} failed: ${p.reason}.`,
  ),
  OUTBOUND_TIMEOUT: entry(
    504,
    'Outbound request timed out',
    (p: { target: string; timeoutMs: number }) => `${p.target} timed out after ${p.timeoutMs} ms.`,
  ),
  OUTBOUND_TOO_LARGE: entry(
    502,
    'Outbound response too large',
    (p: { target: string; limitBytes: number }) => `${p.target} returned more than ${p.limitBytes} bytes.`,
  ),
  CREDENTIAL_REJECTED: entry(
    502,
    'Credential rejected',
    (p: { target: string; reason: string }) => `${p.target} rejected the credential: ${p.reason}.`,
  ),
  // Files of an execution
  FILE_INVALID: entry(
    500,
    'File invalid',
    (p: { reason: string }) => `This is not a file of the execution: ${p.reason}.`,
  ),
  FILE_NOT_FOUND: entry(
    404,
    'File not found',
    (p: { name: string }) => `The file "${p.name}" was never saved, or has expired.`,
  ),
  FILE_CHANGED: entry(
    500,
    'File changed',
    (p: { name: string }) => `The content of file "${p.name}" has changed since it was saved.`,
  ),
  FILE_TOO_LARGE: entry(
    413,
    'File too large',
    (p: { name: string; limitBytes: number }) => `The file "${p.name}" is larger than ${p.limitBytes} bytes.`,
  ),
  TOO_MANY_FILES: entry(
    500,
    'Too many files',
    (p: { limit: number }) => `The execution exceeds the limit of ${p.limit} files.`,
  ),
} as const;

type ServiceErrorCode = keyof typeof serviceErrors;
type ServiceErrorParameters<Code extends ServiceErrorCode> = Parameters<
  (typeof serviceErrors)[Code]['detail']
>[0];

/** A failure of a service that a node calls. */
type ServiceError<Code extends ServiceErrorCode = ServiceErrorCode> = CatalogueError<
  Code,
  ServiceErrorParameters<Code>
>;

/**
 * Creates the error of an outbound request or of a file, for a plugin with its own client.
 * @param cause - for the log only
 */
export const serviceError = <Code extends ServiceErrorCode>(
  code: Code,
  parameters: ServiceErrorParameters<Code>,
  cause?: unknown,
): ServiceError<Code> =>
  new CatalogueError(code, serviceErrors[code] as never, parameters, cause) as ServiceError<Code>;

/** Whether an error was thrown by `services` and, if a code is given, has that code. */
export const isServiceError = (thrown: unknown, code?: ServiceErrorCode): thrown is ServiceError =>
  hasBrand(thrown, 'AppError') && (code === undefined || (thrown as ServiceError).code === code);
