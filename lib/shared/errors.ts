import { CatalogueError, hasBrand, type ParametersOf } from '@hookloom/plugin-kit/host';
import type * as catalogue from './error-catalogue.ts';

export type ErrorCode = keyof typeof catalogue;
export type ErrorParameters<Code extends ErrorCode> = ParametersOf<(typeof catalogue)[Code]>;

/** An error of the catalogue: `new AppError(BODY_TOO_LARGE, { limitBytes }, cause)`. */
export class AppError<Code extends ErrorCode = ErrorCode> extends CatalogueError<
  Code,
  ErrorParameters<Code>
> {}

/** Whether an error is an AppError, with the given code if any. */
export const isAppError = <Code extends ErrorCode>(error: unknown, code?: Code): error is AppError<Code> =>
  hasBrand(error, 'AppError') && (code === undefined || (error as AppError).code === code);

/** Whether an error fails only the current invocation: it is unrelated to the run or the request, and may be transient. */
export const isInfrastructureError = (error: unknown): boolean =>
  isAppError(error, 'STORE_UNAVAILABLE') || isAppError(error, 'DATA_VERSION_UNSUPPORTED');

/** Why a request was refused: the cause of an AppError, for logs and records. Its message contains no request data. */
export class Refusal extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'Refusal';
  }
}

/** Whether an error is a refusal, recognised by name, since each chunk of a bundle has its own copy of the class. */
export const isRefusal = (error: unknown): error is Refusal =>
  error instanceof Error && error.name === 'Refusal';
