/** Something that is wrong in a workflow file, or probably wrong; `path` is a JSON pointer (RFC 6901). */
export interface Problem {
  readonly path: string;
  readonly message: string;
  /** Severity of the problem: with a warning, the workflow is stored nevertheless. If absent, it is an error. */
  readonly severity?: 'warning';
}
