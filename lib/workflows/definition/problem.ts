/** An error in a workflow file; `path` is a JSON pointer (RFC 6901). */
export interface Problem {
  readonly path: string;
  readonly message: string;
}
