import type { JsonObject } from './json.ts';

type Brand = 'AppError' | 'NodeError' | 'RegistrationRefused';

/**
 * Returns the symbol of a brand, which is the same in every copy of this module; plugins and chunks of bundles have
 * their own copies.
 */
const symbolOf = (brand: Brand): symbol => Symbol.for(`hookloom.${brand}`);

/** Marks an error as belonging to a class, so that it is recognised across copies of the class. */
export const brandError = (error: Error, brand: Brand): void => {
  Object.defineProperty(error, symbolOf(brand), { value: true });
};

export const hasBrand = (thrown: unknown, brand: Brand): thrown is Error =>
  thrown instanceof Error && symbolOf(brand) in thrown;

/**
 * Describes an error of a catalogue: its HTTP status, public sentence and title. The type is inferred, since declarations
 * of entries in other files can't name one of this file.
 *
 * @param title - by default the words of the code: `BODY_TOO_LARGE` is "Body too large"
 */
export const describeError = <Code extends string>(
  code: Code,
  status: number,
  detail: string,
  title = code.charAt(0) + code.slice(1).toLowerCase().replaceAll('_', ' '),
) => ({ code, status, title, detail });

/**
 * An entry in a catalogue of errors. It is a function so that a bundler drops the entries that nothing imports: a call
 * at module level could have side effects, and would stay.
 */
type CatalogueEntry<Code extends string, Parameters> = (
  parameters: Parameters,
) => ReturnType<typeof describeError<Code>> & { readonly isRetryable?: boolean };

/** What an error of this entry has as `parameters`. */
export type ParametersOf<Entry extends CatalogueEntry<string, never>> = Entry extends () => unknown
  ? Record<never, never>
  : Parameters<Entry>[0];

/** An error of a catalogue that no further attempt at a node would mend: see {@link asFinal}. */
export const describeFinal = <Code extends string>(...described: Parameters<typeof describeError<Code>>) => ({
  ...describeError(...described),
  isRetryable: false,
});

/** An error with a code. Its message is public: it has no secrets, stacks or input; internal details belong in `cause`. */
export class CatalogueError<Code extends string, Parameters> extends Error {
  readonly code: Code;
  readonly status: number;
  readonly title: string;
  readonly parameters: Parameters;

  /** @param cause - for the log only */
  constructor(entry: CatalogueEntry<Code, Parameters>, parameters: Parameters, cause?: unknown) {
    const { code, status, title, detail, isRetryable } = entry(parameters);
    super(detail, cause === undefined ? undefined : { cause });
    this.name = 'AppError';
    this.code = code;
    this.status = status;
    this.title = title;
    this.parameters = parameters;
    brandError(this, 'AppError');
    if (isRetryable === false) asFinal(this);
  }
}

export interface NodeErrorOptions {
  /** Shown with the message, such as `HttpStatusError`; `NodeError` by default. */
  readonly name?: string;
  /**
   * Whether another attempt may succeed. False prevents further attempts, whatever `settings.retry` says; true by
   * default.
   */
  readonly isRetryable?: boolean;
  /** Minimum delay before the next attempt in milliseconds, capped by `settings.retry.maxDelaySeconds`. */
  readonly retryAfterMs?: number;
  /**
   * Delivered as `error.details` on the output `error`, and shown in records, limited in size and redacted by key. At
   * most 32 kB as JSON. Put no secrets in it or in the message.
   */
  readonly details?: JsonObject;
  /** The cause of the error, which is only logged. */
  readonly cause?: unknown;
}

/** Name of the error that ends runs nested too deep. The nodes around it fail with the same error, since wrapping it would add nothing. */
export const NESTING_LIMIT = 'NestingLimit';

/** A failure of a node that says how it may be retried and carries details as data. */
export class NodeError extends Error {
  readonly isRetryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly details: JsonObject | undefined;

  constructor(message: string, options: NodeErrorOptions = {}) {
    const { name = 'NodeError', isRetryable = true, retryAfterMs, details, cause } = options;
    super(message, cause === undefined ? undefined : { cause });
    this.name = name;
    this.isRetryable = isRetryable;
    this.retryAfterMs = retryAfterMs;
    this.details = details;
    brandError(this, 'NodeError');
  }
}

/**
 * Makes an error of any class final: no further attempt at the node, whatever `settings.retry` says. For a mistake in the
 * parameters, and for what fails after a server has answered: another attempt would do again what was done.
 */
export const asFinal = <Thrown extends Error>(error: Thrown): Thrown => {
  brandError(error, 'NodeError');
  return Object.assign(error, { isRetryable: false });
};

export const isNodeError = (thrown: unknown): thrown is NodeError => hasBrand(thrown, 'NodeError');
