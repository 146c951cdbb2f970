import { Readable } from 'node:stream';
import { NodeError } from '../../contract/node-error.ts';
import type { SdkCommand } from './load-sdk.ts';

/**
 * Bounds what the SDK reads of an answer, before it parses it. Streams are handed out unread: their reader bounds them.
 *
 * @returns a function that ends the limit, for when the SDK has given its output
 */
export const limitOutput = (command: SdkCommand, maxBytes: number): (() => void) => {
  let limit = maxBytes;
  command.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { response } = result;
      if (response.body instanceof Readable) response.body = toLimited(response.body, () => limit);
      return result;
    },
    { step: 'deserialize', priority: 'low', name: 'limitOutput' }, // next to the connection
  );
  return () => {
    limit = Number.POSITIVE_INFINITY;
  };
};

/** Reads nothing before it is read itself, when it is known whose stream it is. */
const toLimited = (body: Readable, limit: () => number): Readable => {
  const limited = Readable.from(countBytes(body, limit), { objectMode: false });
  limited.once('close', () => body.destroy()); // also when nothing has been read
  return limited;
};

async function* countBytes(body: Readable, limit: () => number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > limit())
      throw new NodeError(`the output is larger than ${limit()} bytes`, {
        name: 'OutputTooLarge',
        isRetryable: false,
      });
    yield chunk;
  }
}
