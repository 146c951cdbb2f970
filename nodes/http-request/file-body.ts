import { type Files, type FileValue, findHeaderProblem, type OutboundResponse } from '@hookloom/plugin-kit';
import { findFileName } from './file-name.ts';

/** The bytes of a file, which is opened when they are read. */
export const streamFile = async function* (file: FileValue, files: Files): AsyncGenerator<Uint8Array> {
  yield* await files.open(file);
};

/** The value of a file may come with data from outside: no media type of it adds a header line. */
export const toMediaType = ({ mediaType }: FileValue): string =>
  mediaType !== '' && findHeaderProblem('content-type', mediaType) === null
    ? mediaType
    : 'application/octet-stream';

/** Saves a response as a file of the execution. @throws AppError `FILE_TOO_LARGE` | `STORE_UNAVAILABLE` | `OUTBOUND_*` */
export const saveBody = (response: OutboundResponse, files: Files): Promise<FileValue> => {
  const mediaType = response.headers['content-type'] ?? '';
  return files.save(streamBody(response), { name: findFileName(response), mediaType });
};

const streamBody = async function* ({ stream, body }: OutboundResponse): AsyncGenerator<Uint8Array> {
  yield* stream ?? [body];
};
