import { asFinal } from '@hookloom/plugin-kit';

/** An expression in a workflow has a syntax error, its evaluation failed, or it has no result where one is required. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
  /** Offset in the expression without blanks around it, in UTF-16 units; undefined if no single place is at fault. */
  readonly position: number | undefined;

  constructor(message: string, cause?: unknown) {
    super(message);
    asFinal(this); // evaluated again, it fails again
    this.position = (cause as { readonly position?: number } | undefined)?.position;
  }
}

/** An expression gives nothing where a text addresses something. The message has no data. */
export class HoleError extends ExpressionError {
  readonly isHole = true;
}

/** Whether an error is a {@link HoleError}: also one of another chunk, which has a class of its own. */
export const isHoleError = (error: unknown): error is HoleError =>
  error instanceof Error && (error as Partial<HoleError>).isHole === true;

/**
 * The error of an expression that gives nothing where a text addresses something. `??` gives its right side only for a
 * missing value, and `?:` also for null.
 */
export const toHoleError = (expression: string, value: null | undefined, place: string): HoleError => {
  const text = expression.trim();
  const operand = /^[\w$.`]+$/.test(text) ? text : `(${text})`;
  const [gives, otherwise] = value === null ? ['null', '?:'] : ['nothing', '??'];
  return new HoleError(
    `{{ ${text} }} in ${place} gives ${gives}: write {{ ${operand} ${otherwise} '' }} if it may be empty`,
  );
};
