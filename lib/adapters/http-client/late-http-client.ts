import type { HttpClient } from '../../contract/services.ts';

/** An HTTP client that loads its code, and modules of Node, for its first request: few sandboxes make one. */
export const lateHttpClient = (allow: readonly string[], ownUrl: string | null = null): HttpClient => {
  let client: Promise<HttpClient> | undefined;
  return {
    request: async (request) => {
      client ??= import('./http-client.chunk.ts').then(({ createHttpClient }) =>
        createHttpClient({ allow, ownUrl }),
      );
      return (await client).request(request);
    },
  };
};
