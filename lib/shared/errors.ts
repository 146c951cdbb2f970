import { type CatalogueEntry, CatalogueError, hasBrand, type serviceErrors } from '@hookloom/plugin-kit/host';
import { catalogue } from './error-catalogue.ts';
import type { featureCatalogue } from './feature-catalogue.ts';
import type { operatorCatalogue } from './operator-catalogue.ts';

type CommonCode = keyof typeof catalogue;
type Catalogue = typeof catalogue & typeof featureCatalogue & typeof operatorCatalogue & typeof serviceErrors;
export type ErrorCode = keyof Catalogue;
export type ErrorParameters<Code extends ErrorCode> = Parameters<Catalogue[Code]['detail']>[0];

export class AppError<Code extends ErrorCode = ErrorCode> extends CatalogueError<
  Code,
  ErrorParameters<Code>
> {
  /** @param cause - for the log only */
  constructor(code: Code & CommonCode, parameters: ErrorParameters<Code>, cause?: unknown);
  /** @param entry - an entry from a catalogue other than the common one */
  constructor(code: Code, parameters: ErrorParameters<Code>, cause: unknown, entry: CatalogueEntry<never>);
  constructor(
    code: Code,
    parameters: ErrorParameters<Code>,
    cause?: unknown,
    entry: CatalogueEntry<never> = catalogue[code as CommonCode],
  ) {
    super(code, entry as CatalogueEntry<ErrorParameters<Code>>, parameters, cause);
  }
}

/** Whether an error is an AppError, with the given code if any. */
export const isAppError = <Code extends ErrorCode>(error: unknown, code?: Code): error is AppError<Code> =>
  hasBrand(error, 'AppError') && (code === undefined || (error as AppError).code === code);

/** Whether an error fails only the current invocation: it is unrelated to the run or the request, and may be transient. */
export const isInfrastructureError = (error: unknown): boolean =>
  isAppError(error, 'STORE_UNAVAILABLE') || isAppError(error, 'DATA_VERSION_UNSUPPORTED');
