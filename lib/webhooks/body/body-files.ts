import type { Files } from '../../contract/files.ts';
import type { JsonObject, JsonValue } from '../../contract/json.ts';

/** A file of a body, in memory: it is saved once the request has become an execution. */
export interface BodyFile {
  readonly name: string;
  readonly mediaType: string;
  readonly content: Uint8Array;
}

/** The files of a body, and how the body is made of their values. */
export interface BodyFiles {
  readonly files: readonly BodyFile[];
  /** @param values - one for each file, in the same order */
  toBody(values: readonly JsonObject[]): JsonValue;
}

/** What is known of a file before it is saved: its value without `$file` and `sha256`. */
export const describeFile = ({ name, mediaType, content }: BodyFile): JsonObject => ({
  name,
  mediaType,
  size: content.length,
});

/**
 * Saves the files of a body.
 *
 * @returns the body with their values
 * @throws AppError `FILE_TOO_LARGE` | `STORE_UNAVAILABLE`
 */
export const saveBodyFiles = async ({ files, toBody }: BodyFiles, { save }: Files): Promise<JsonValue> =>
  toBody(await Promise.all(files.map((file) => save(toChunks(file), file))));

const toChunks = async function* ({ content }: BodyFile) {
  yield content;
};
