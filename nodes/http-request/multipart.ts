import {
  type Files,
  type FileValue,
  isFileValue,
  type JsonObject,
  type OutboundRequest,
  wrongParameter,
} from '@hookloom/plugin-kit';
import { streamFile, toMediaType } from './file-body.ts';

/** Text that is sent as it is, or a file. */
type Piece = Uint8Array | FileValue;

/**
 * Fields and files as `multipart/form-data` (RFC 7578); a list repeats the name.
 *
 * @param boundary - random, so that no content holds it
 * @throws TypeError that names the field
 */
export const toMultipart = (
  body: JsonObject,
  files: Files,
  boundary: string,
): Required<Pick<OutboundRequest, 'body' | 'bodyBytes'>> & { readonly contentType: string } => {
  const pieces = [
    ...Object.entries(body).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).flatMap((item) => {
        const start = `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"`;
        if (isFileValue(item)) {
          const head = `${start}; filename="${escapeName(item.name)}"\r\nContent-Type: ${toMediaType(item)}\r\n\r\n`;
          return [toBytes(head), item, toBytes('\r\n')];
        }
        if (item !== null && typeof item === 'object')
          throw wrongParameter(`body.${name}`, 'a text, a number or a file', item);
        return [toBytes(`${start}\r\n\r\n${item ?? ''}\r\n`)];
      }),
    ),
    toBytes(`--${boundary}--\r\n`),
  ];
  return {
    body: streamPieces(pieces, files),
    bodyBytes: pieces.reduce((sum, piece) => sum + (isBytes(piece) ? piece.byteLength : piece.size), 0),
    contentType: `multipart/form-data; boundary=${boundary}`,
  };
};

const streamPieces = async function* (pieces: readonly Piece[], files: Files): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    if (isBytes(piece)) yield piece;
    else yield* streamFile(piece, files);
  }
};

const isBytes = (piece: Piece): piece is Uint8Array => piece instanceof Uint8Array;

const toBytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data */
const escapeName = (name: string): string =>
  name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
