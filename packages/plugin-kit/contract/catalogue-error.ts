import { brandError } from './error-brand.ts';

/**
 * An entry in a catalogue of errors: an HTTP status, a title, and a public sentence made from the error's parameters.
 */
export interface CatalogueEntry<Parameters> {
  readonly status: number;
  readonly title: string;
  readonly detail: (parameters: Parameters) => string;
}

/** Defines an error of a catalogue. */
export const entry = <Parameters = Record<never, never>>(
  status: number,
  title: string,
  detail: (parameters: Parameters) => string,
): CatalogueEntry<Parameters> => ({ status, title, detail });

/** An error with a code. Its message is public: it has no secrets, stacks or input; internal details belong in `cause`. */
export class CatalogueError<Code extends string, Parameters> extends Error {
  readonly code: Code;
  readonly status: number;
  readonly title: string;
  readonly parameters: Parameters;

  /** @param cause - for the log only */
  constructor(
    code: Code,
    { status, title, detail }: CatalogueEntry<Parameters>,
    parameters: Parameters,
    cause?: unknown,
  ) {
    super(detail(parameters), cause === undefined ? undefined : { cause });
    this.name = 'AppError';
    this.code = code;
    this.status = status;
    this.title = title;
    this.parameters = parameters;
    brandError(this, 'AppError');
  }
}
