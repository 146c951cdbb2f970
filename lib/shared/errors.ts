import { type CatalogueEntry, catalogue } from './error-catalogue.ts';
import type { featureCatalogue } from './feature-catalogue.ts';
import type { operatorCatalogue } from './operator-catalogue.ts';
import type { outboundCatalogue } from './outbound-catalogue.ts';

type CommonCode = keyof typeof catalogue;
type Catalogue = typeof catalogue &
  typeof featureCatalogue &
  typeof operatorCatalogue &
  typeof outboundCatalogue;
export type ErrorCode = keyof Catalogue;
export type ErrorParameters<Code extends ErrorCode> = Parameters<Catalogue[Code]['detail']>[0];

/** Shared by all copies of this module: a chunk of a bundle has one of its own. */
const brand = Symbol.for('hookloom.AppError');

export class AppError<Code extends ErrorCode = ErrorCode> extends Error {
  readonly code: Code;
  readonly status: number;
  readonly title: string;
  readonly parameters: ErrorParameters<Code>;

  /** @param cause - for the log only */
  constructor(code: Code & CommonCode, parameters: ErrorParameters<Code>, cause?: unknown);
  /** @param entry - of another catalogue than the common one */
  constructor(code: Code, parameters: ErrorParameters<Code>, cause: unknown, entry: CatalogueEntry<never>);
  constructor(
    code: Code,
    parameters: ErrorParameters<Code>,
    cause?: unknown,
    entry: CatalogueEntry<never> = catalogue[code as CommonCode],
  ) {
    const { status, title, detail } = entry as CatalogueEntry<ErrorParameters<Code>>;
    super(detail(parameters), cause === undefined ? undefined : { cause });
    this.name = 'AppError';
    this.code = code;
    this.status = status;
    this.title = title;
    this.parameters = parameters;
    Object.defineProperty(this, brand, { value: true });
  }
}

/** Whether an error is of the catalogue and, when a code is given, has that code. */
export const isAppError = <Code extends ErrorCode>(error: unknown, code?: Code): error is AppError<Code> =>
  isBranded(error) && (code === undefined || error.code === code);

/** Whether an error fails what is going on, and nothing else: it says nothing of the run or the request, and may have passed later. */
export const isInfrastructureError = (error: unknown): boolean =>
  isAppError(error, 'STORE_UNAVAILABLE') || isAppError(error, 'DATA_VERSION_UNSUPPORTED');

const isBranded = (error: unknown): error is AppError => error instanceof Error && brand in error;
