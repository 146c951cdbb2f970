import { brandError } from './error-brand.ts';

/** What a catalogue says about an error: its HTTP status, title and public sentence. */
interface ErrorDescription<Code extends string> {
  readonly code: Code;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
}

/**
 * An entry in a catalogue of errors. It is a function so that a bundler drops the entries that nothing imports: a call
 * at module level could have side effects, and would stay.
 */
type CatalogueEntry<Code extends string, Parameters> = (parameters: Parameters) => ErrorDescription<Code>;

/** What an error of this entry has as `parameters`. */
export type ParametersOf<Entry extends CatalogueEntry<string, never>> = Entry extends () => unknown
  ? Record<never, never>
  : Parameters<Entry>[0];

/** Describes an error of a catalogue. */
export const describeError = <Code extends string>(
  code: Code,
  status: number,
  title: string,
  detail: string,
): ErrorDescription<Code> => ({ code, status, title, detail });

/** An error with a code. Its message is public: it has no secrets, stacks or input; internal details belong in `cause`. */
export class CatalogueError<Code extends string, Parameters> extends Error {
  readonly code: Code;
  readonly status: number;
  readonly title: string;
  readonly parameters: Parameters;

  /** @param cause - for the log only */
  constructor(entry: CatalogueEntry<Code, Parameters>, parameters: Parameters, cause?: unknown) {
    const { code, status, title, detail } = entry(parameters);
    super(detail, cause === undefined ? undefined : { cause });
    this.name = 'AppError';
    this.code = code;
    this.status = status;
    this.title = title;
    this.parameters = parameters;
    brandError(this, 'AppError');
  }
}
