import { type HttpClient, lazy } from '@hookloom/plugin-kit';

/** An HTTP client that loads its code, and modules of Node, for its first request: few sandboxes make one. */
export const lateHttpClient = (allow: readonly string[], ownUrl: string | null = null): HttpClient => {
  const load = lazy(async () => (await import('./http-client.chunk.ts')).createHttpClient({ allow, ownUrl }));
  return { request: async (request) => (await load()).request(request) };
};
