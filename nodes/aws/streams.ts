import { isNodeError, NodeError } from '@hookloom/plugin-kit';

/**
 * The bytes of a stream, up to a limit.
 *
 * @param place - for messages
 * @throws NodeError `OutputTooLarge`, or `StreamBroken`, which another attempt may mend
 */
export async function* limitStream(
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
  place: string,
): AsyncGenerator<Uint8Array> {
  const chunks = iterate(content);
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await chunks.next().catch((cause: unknown) => {
        throw isNodeError(cause) ? cause : toBroken(cause, place, bytes);
      });
      if (done === true) return;
      bytes += value.byteLength;
      if (bytes > maxBytes) throw tooLarge(place, maxBytes);
      yield value;
    }
  } finally {
    await chunks.return(undefined);
  }
}

async function* iterate(
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array, undefined> {
  yield* content;
}

export const readStream = async (
  content: AsyncIterable<Uint8Array>,
  maxBytes: number,
  place: string,
): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of limitStream(content, maxBytes, place)) chunks.push(chunk);
  return Buffer.concat(chunks);
};

export const tooLarge = (place: string, limit: number): NodeError =>
  new NodeError(`${place} is larger than ${limit} bytes`, { name: 'OutputTooLarge', isRetryable: false });

const toBroken = (cause: unknown, place: string, bytes: number): NodeError =>
  new NodeError(`${place} broke off after ${bytes} bytes`, {
    name: 'StreamBroken',
    details: { bytes },
    cause,
  });
