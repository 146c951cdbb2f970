/** An error response of Lambda's API; its name is the error type. */
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
