import { type CatalogueError, hasBrand, type ParametersOf } from './errors.ts';
import type * as catalogue from './service-error-catalogue.ts';

type ServiceErrorCode = keyof typeof catalogue;

/** By code, since errors of the service itself have the same brand. Not read from the catalogue, which would end up in every bundle. */
const CODES = {
  OUTBOUND_REFUSED: true,
  OUTBOUND_FAILED: true,
  OUTBOUND_TIMEOUT: true,
  OUTBOUND_TOO_LARGE: true,
  CREDENTIAL_REJECTED: true,
  FILE_INVALID: true,
  FILE_NOT_FOUND: true,
  FILE_CHANGED: true,
  FILE_TOO_LARGE: true,
  TOO_MANY_FILES: true,
} as const satisfies Readonly<Record<ServiceErrorCode, true>>;

/** A failure of a service that a node calls. */
type ServiceError<Code extends ServiceErrorCode = ServiceErrorCode> = CatalogueError<
  Code,
  ParametersOf<(typeof catalogue)[Code]>
>;

/** Whether an error has one of the codes of `services` and, if a code is given, that one. */
export const isServiceError = (thrown: unknown, code?: ServiceErrorCode): thrown is ServiceError =>
  hasBrand(thrown, 'AppError') &&
  (code === undefined
    ? Object.hasOwn(CODES, (thrown as ServiceError).code)
    : (thrown as ServiceError).code === code);
