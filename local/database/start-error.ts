/** A reason why the local service cannot start, with its remedy: a sentence for the user, printed without a stack. */
export class StartError extends Error {
  /** The Serverless Framework prints errors of this name without a stack. */
  override readonly name = 'ServerlessError';
}
