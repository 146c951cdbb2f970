/** What is wrong in a workflow file, or probably is; `path` is a JSON pointer (RFC 6901). */
export interface Problem {
  readonly path: string;
  readonly message: string;
  /** A warning does not keep the workflow from being stored; absent: an error. */
  readonly severity?: 'warning';
}
