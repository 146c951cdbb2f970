import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';

/** A file of a body, in memory; saved once the request has become an execution. */
export interface BodyFile {
  readonly name: string;
  readonly mediaType: string;
  readonly content: Uint8Array;
}

/** The files of a body, and how to build the body from their values. */
export interface BodyFiles {
  readonly files: readonly BodyFile[];
  /** Makes the body of a request with files. @param values - one for each file, in the same order */
  toBody(values: readonly JsonObject[]): JsonValue;
}

/** What is known about a file before it is saved: its value without `$file` and `sha256`. */
export const describeFile = ({ name, mediaType, content }: BodyFile): JsonObject => ({
  name,
  mediaType,
  size: content.length,
});
