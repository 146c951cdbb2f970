/** One thing that is wrong with a workflow, and where: a JSON pointer (RFC 6901) into the file. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}
