import type { HttpClient } from '../../contract/services.ts';

/** Most sandboxes never call out: the client, and what of Node it needs, is loaded for the first request. */
export const lateHttpClient = (allow: readonly string[]): HttpClient => {
  let client: Promise<HttpClient> | undefined;
  return {
    request: async (request) => {
      client ??= import('./http-client.ts').then(({ createHttpClient }) => createHttpClient({ allow }));
      return (await client).request(request);
    },
  };
};
