import { type FileValue, serviceError } from '@hookloom/plugin-kit';
import type { ContentHash } from './measure-content.ts';

/**
 * Checks content against the value of its file while it is read. The last chunk is held back until the whole is checked:
 * what is sent on and does not match stays incomplete for its receiver.
 *
 * Reading throws AppError `FILE_CHANGED` when size or hash differ, or the reason of the signal once it is aborted.
 */
export const verifyContent = async function* (
  content: AsyncIterable<Uint8Array>,
  { name, size, sha256 }: FileValue,
  hash: ContentHash,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const changed = () => serviceError('FILE_CHANGED', { name });
  let held: Uint8Array | null = null;
  let bytes = 0;
  for await (const chunk of content) {
    signal.throwIfAborted();
    bytes += chunk.byteLength;
    if (bytes > size) throw changed();
    hash.update(chunk);
    if (held !== null) yield held;
    held = chunk;
  }
  if (bytes !== size || hash.digest('hex') !== sha256) throw changed();
  if (held !== null) yield held;
};
