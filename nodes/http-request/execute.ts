import {
  addQuery,
  findAddressProblem,
  type HealthCheckResult,
  type NodeExecutor,
  readBody,
} from '@hookloom/plugin-kit';

import { fetchPages } from './pages.ts';
import { readRules } from './rules.ts';
import { createSend, saveBody } from './send.ts';

/**
 * Calls a URL. Output: `{ status, headers, body, url }`, or with pagination `{ items, pages, pagesEnd }`. The timeout
 * is the attempt's (`settings.timeoutSeconds`) and covers all pages; the other limits are parameters. The client
 * refuses private addresses.
 */
export const execute: NodeExecutor['execute'] = async ({ parameters }, _input, context) => {
  const given = readRules(parameters);
  const url = addQuery(given.url, given.query);
  const send = createSend(given, context);
  if (given.pagination !== 'none') return fetchPages(url, given, send, context.services);
  const response = await send(url, null);
  const { status, headers } = response;
  const body =
    given.responseType === 'file'
      ? await saveBody(response, given.method, context.services.files)
      : readBody(response, given.responseType);
  return { status, headers, body, url: response.url };
};

/** Addresses that the guard must refuse: this machine, cloud metadata, a private network. */
const forbidden = ['127.0.0.1', '::1', '169.254.169.254', '10.0.0.1', '::ffff:127.0.0.1'];

/** Checks the address guard without using the network. */
export const checkAddressGuard = (): HealthCheckResult => {
  const open = forbidden.filter((address) => findAddressProblem(address) === null);
  if (open.length > 0) return { status: 'unhealthy', message: `the address guard allows ${open.join(', ')}` };
  return findAddressProblem('1.1.1.1') === null
    ? { status: 'healthy' }
    : { status: 'unhealthy', message: 'the address guard refuses public addresses' };
};
