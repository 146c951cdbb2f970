/** An error response of an AWS API on this machine, with AWS's name for it. */
export class ApiError extends Error {
  readonly status: number;

  constructor(name: string, message: string, status = 400) {
    super(message);
    this.name = name;
    this.status = status;
  }
}

export class InvalidParameterValueException extends ApiError {
  constructor(message: string) {
    super('InvalidParameterValueException', message);
  }
}
