/** Why the local service can't start, and what to do about it: a sentence for the user, without a stack. */
export class StartError extends Error {
  /** What the framework calls errors that it prints without a stack. */
  override readonly name = 'ServerlessError';
}
