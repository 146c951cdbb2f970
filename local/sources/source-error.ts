/** A refusal of an API on this machine, named as AWS names it. */
export class SourceError extends Error {
  readonly status: number;

  constructor(name: string, message: string, status = 400) {
    super(message);
    this.name = name;
    this.status = status;
  }
}
