import {
  addQuery,
  closed,
  definePlugin,
  fileValue,
  findAddressProblem,
  type HealthCheckResult,
  headers,
  type NodeExecutor,
  type PluginHandle,
  readBody,
  Type,
} from '@hookloom/plugin-kit';
import * as Given from '@hookloom/plugin-kit/given';
import { requestCredentialTypes } from '../credential-types/request-types.ts';
import { findParameterProblems } from './check-parameters.ts';
import { fetchGivenPages } from './pages.ts';
import { schema } from './properties.ts';
import { createSend, readRules, saveBody } from './send.ts';

/**
 * Calls a URL. Output: `{ status, headers, body, url }`, or with pagination `{ items, pages, pagesEnd }`. The timeout
 * is the attempt's (`settings.timeoutSeconds`) and covers all pages; the other limits are parameters. The client
 * refuses private addresses.
 */
const execute: NodeExecutor['execute'] = async ({ parameters }, _input, context) => {
  const given = readRules(parameters);
  const url = addQuery(given.url, given.query);
  const send = createSend(given, context);
  if (given.pagination !== 'none') return fetchGivenPages(url, given, send, context.services);
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
const checkAddressGuard = (): HealthCheckResult => {
  const open = forbidden.filter((address) => findAddressProblem(address) === null);
  if (open.length > 0) return { status: 'unhealthy', message: `the address guard allows ${open.join(', ')}` };
  return findAddressProblem('1.1.1.1') === null
    ? { status: 'healthy' }
    : { status: 'unhealthy', message: 'the address guard refuses public addresses' };
};

const answer = closed({
  status: Type.Integer(),
  headers,
  body: Given.by('responseType', { text: Type.String(), file: fileValue }, 'auto'),
  url: Type.String(),
});

const pages = closed({
  items: Type.Array(Type.Unknown()),
  pages: Type.Integer(),
  pagesEnd: Type.String(),
});

export const httpRequest: PluginHandle = {
  id: 'httpRequest',
  name: 'HTTP request',
  description:
    'Calls a URL, within settings.timeoutSeconds, and outputs the answer. Private addresses are refused unless the service allows them',
  kind: 'action',
  schema,
  credentialTypes: requestCredentialTypes,
  outputs: {
    main: Given.by('pagination', { none: answer, link: pages, cursor: pages, page: pages }, 'none'),
  },
  checkParameters: findParameterProblems,
  example: {
    parameters: { method: 'POST', url: 'https://api.example.com/orders', body: { total: '{{ total }}' } },
    input: { total: 120 },
    output: {
      status: 201,
      headers: { 'content-type': 'application/json' },
      body: { id: 'A-1' },
      url: 'https://api.example.com/orders',
    },
  },
  execute,
};

const { id, name, description } = httpRequest;

export default definePlugin({
  id,
  name,
  version: '1.0.0',
  description,
  category: 'http',
  handles: [httpRequest],
  healthCheck: checkAddressGuard,
});
