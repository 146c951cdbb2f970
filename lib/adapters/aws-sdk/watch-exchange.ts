import { Readable } from 'node:stream';
import { NodeError } from '@hookloom/plugin-kit';
import type { SdkCommand } from './load-sdk.ts';

/**
 * Watches the HTTP exchange of a command, between the SDK and the connection: checks where it goes, limits how much of
 * the answer the SDK reads before parsing it, and keeps the connection's error.
 * @param call - for messages: `dynamodb PutItem`
 */
export const watchExchange = (
  command: SdkCommand,
  call: string,
  {
    maxOutputBytes,
    checkUrl,
  }: {
    readonly maxOutputBytes: number;
    /** Called with the URL before the request is signed. Throws a NodeError if the URL must not be called. */
    readonly checkUrl: (url: string) => void;
  },
) => {
  let limit = maxOutputBytes;
  let problem: NodeError | null = null;

  async function* countBytes(body: Readable): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    try {
      for await (const chunk of body) {
        bytes += chunk.length;
        if (bytes > limit) {
          const message = `the output of ${call} is larger than ${limit} bytes`;
          problem = new NodeError(message, { name: 'OutputTooLarge', isRetryable: false });
          throw new Error(message);
        }
        yield chunk;
      }
    } catch (error) {
      problem ??= toConnectionError(error as Error, call);
      throw error;
    }
  }

  /** Limits a stream that reads nothing until it is itself read, because only then is it known whose stream it is. */
  const toLimited = (body: Readable): Readable => {
    const limited = Readable.from(countBytes(body), { objectMode: false });
    limited.once('close', () => body.destroy()); // also when nothing has been read
    return limited;
  };

  command.middlewareStack.add(
    (next) => async (args) => {
      const { protocol, hostname, port } = args.request;
      try {
        checkUrl(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}/`);
      } catch (error) {
        problem = error as NodeError;
        throw error;
      }
      return next(args);
    },
    { step: 'finalizeRequest', priority: 'high', name: 'checkUrl' }, // the host is known, the signature is still to come
  );

  command.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args).catch((error: NodeJS.ErrnoException) => {
        if (error.name !== 'AbortError') problem = toConnectionError(error, call);
        throw error;
      });
      const { response } = result;
      if (response.body instanceof Readable) response.body = toLimited(response.body);
      return result;
    },
    { step: 'deserialize', priority: 'low', name: 'watchExchange' }, // next to the connection
  );

  return {
    /** The error below the SDK, which wraps such errors or adds to them; null if there was none. */
    problem: () => problem,
    /** Ends the size limit once the SDK has returned its output; the reader of a stream in it sets its own limit. */
    endLimit: () => {
      limit = Number.POSITIVE_INFINITY;
    },
  };
};

const toConnectionError = (error: NodeJS.ErrnoException, call: string): NodeError =>
  new NodeError(`${call} failed: ${error.message}`, {
    name: error.code ?? 'ConnectionError',
    details: error.code === undefined ? {} : { code: error.code },
    cause: error,
  });
