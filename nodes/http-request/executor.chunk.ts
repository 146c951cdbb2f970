import { addQuery, type NodeExecutor, readBody } from '@hookloom/plugin-kit';
import { fetchPages } from './fetch-pages.ts';
import { saveBody } from './file-body.ts';
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
    const { status, headers } = response;
    const body =
      given.responseType === 'file'
        ? await saveBody(response, context.services.files)
        : readBody(response, given.responseType);
    return { status, headers, body, url: response.url };
  },
};
