/** A refusal as Lambda's API answers it: the error's type is its name. */
export class EngineError extends Error {
  readonly status: number;
  constructor(name: string, status: number, message: string) {
    super(message);
    this.name = name;
    this.status = status;
  }
}

export class InvalidParameterValueException extends EngineError {
  constructor(message: string) {
    super('InvalidParameterValueException', 400, message);
  }
}
