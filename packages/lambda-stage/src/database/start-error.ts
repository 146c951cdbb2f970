/** Why a stage can't start and how to fix it: a sentence for the user, printed without a stack. */
export class StartError extends Error {
  /** The Serverless Framework prints errors of this name without a stack. */
  override readonly name = 'ServerlessError';
}
