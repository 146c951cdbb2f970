/** The value of the parameter `upload`. */
export interface UploadRule {
  readonly maxBytes: number;
  /** In lower case; of all when absent. */
  readonly mediaTypes?: readonly string[];
}
