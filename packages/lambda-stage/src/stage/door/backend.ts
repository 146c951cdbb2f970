import { request as httpRequest } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Reply } from './services/reply.ts';
import type { ReceivedRequest } from './verify-signature.ts';

/** Hop-by-hop headers, and the host name, which is the backend's own. */
const OWN_HEADERS = /^(host|connection|keep-alive|transfer-encoding|content-length|expect)$/;

/** Forwards a request unchanged to a server on this machine. */
export const sendOn = (
  origin: string,
  { method, url, headers, body }: ReceivedRequest,
  added: Readonly<Record<string, string>>,
): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const passed = Object.entries(headers).filter(
      ([name, value]) => !OWN_HEADERS.test(name) && value !== undefined,
    );
    const sent = { ...(Object.fromEntries(passed) as Record<string, string | string[]>), ...added };
    httpRequest(`${origin}${url}`, { method, headers: { ...sent, 'content-length': body.length } })
      .on('response', (response) => {
        buffer(response).then((content) => {
          const own = Object.entries(response.headers).filter(([name]) => !OWN_HEADERS.test(name));
          resolve({
            status: response.statusCode ?? 502,
            headers: Object.fromEntries(own) as Record<string, string>,
            body: content,
          });
        }, reject);
      })
      .on('error', reject)
      .end(body);
  });
