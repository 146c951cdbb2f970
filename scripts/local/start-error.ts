/** Why the local service can't start, and what to do about it: a sentence for whoever started it, who needs no stack. */
export class StartError extends Error {
  /** What the framework calls errors that it prints without a stack. */
  override readonly name = 'ServerlessError';
}
