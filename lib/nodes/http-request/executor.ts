import type { NodeExecutor } from '../../contract/node.ts';
import { fetchPages } from './fetch-pages.ts';
import { readBody } from './read-body.ts';
import { addQuery } from './request-url.ts';
import { readRules } from './rules.ts';
import { createSend } from './send.ts';

/**
 * Calls a URL. Output: `{ status, headers, body, url }`, or with pagination `{ items, pages, pagesEnd }`. The timeout is
 * the attempt's (`settings.timeoutSeconds`), for all pages together; the other limits are parameters. The client refuses
 * private addresses.
 */
export const httpRequestExecutor: NodeExecutor = {
  getNodeType: () => 'httpRequest',
  execute: async ({ parameters }, _input, context) => {
    const given = readRules(parameters);
    const url = addQuery(given.url, given.query);
    const send = createSend(given, context);
    if (given.pagination !== 'none') return fetchPages(url, given, send);
    const response = await send(url, null);
    return {
      status: response.status,
      headers: response.headers,
      body: readBody(response, given.responseType),
      url: response.url,
    };
  },
};
