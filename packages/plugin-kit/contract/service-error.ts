import type { CatalogueError, ParametersOf } from './catalogue-error.ts';
import { hasBrand } from './error-brand.ts';
import type * as catalogue from './service-error-catalogue.ts';

type ServiceErrorCode = keyof typeof catalogue;

/** A failure of a service that a node calls. */
type ServiceError<Code extends ServiceErrorCode = ServiceErrorCode> = CatalogueError<
  Code,
  ParametersOf<(typeof catalogue)[Code]>
>;

/** Whether an error was thrown by `services` and, if a code is given, has that code. */
export const isServiceError = (thrown: unknown, code?: ServiceErrorCode): thrown is ServiceError =>
  hasBrand(thrown, 'AppError') && (code === undefined || (thrown as ServiceError).code === code);
