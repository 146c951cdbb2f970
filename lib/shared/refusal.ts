/** Why a request was refused: the cause of an AppError, for logs and records. Its message contains no request data. */
export class Refusal extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'Refusal';
  }
}

/** Recognised by name, since each chunk of a bundle has its own copy of the class. */
export const isRefusal = (error: unknown): error is Refusal =>
  error instanceof Error && error.name === 'Refusal';
