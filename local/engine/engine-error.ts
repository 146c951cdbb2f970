/** A refusal that Lambda's API names, with the status that it answers. */
export class EngineError extends Error {
  readonly status: number;
  constructor(name: string, status: number, message: string) {
    super(message);
    this.name = name;
    this.status = status;
  }
}
