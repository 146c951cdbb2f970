import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { buffer } from 'node:stream/consumers';
import {
  type Clock,
  completeRequest,
  findHeaderProblem,
  type HttpClient,
  isPlainObject,
  isToken,
  type JsonValue,
  type OutboundRequest,
} from '@hookloom/plugin-kit';
import { DEPTH_HEADER, toNextCall } from '../../executions/record/call-depth.ts';
import { OUTBOUND_FAILED, OUTBOUND_REFUSED, OUTBOUND_TIMEOUT } from '../../shared/error-catalogue.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import { systemClock } from '../runtime/system-clock.ts';
import { startDeadline } from './deadline.ts';
import {
  type AllowList,
  checkAddress,
  createGuardedLookup,
  parseAllowList,
  type ResolveHost,
  resolveHost,
} from './guarded-lookup.ts';
import {
  createAgents,
  followRedirect,
  type Hop,
  isStream,
  openResponse,
  REDIRECTS,
  sendHop,
} from './http-exchange.ts';
import { toOutboundFailure } from './outbound-failure.ts';

export interface HttpClientOptions {
  /** Private destinations that may be reached: see {@link parseAllowList}. None by default. */
  readonly allow?: readonly string[];
  /**
   * The service's public URL, to recognise calls to itself; so is the host of the request that started the execution.
   */
  readonly ownUrl?: string | null;
  readonly lookup?: ResolveHost;
  /** Measures how long connections have been idle. */
  readonly clock?: Pick<Clock, 'now'>;
}

interface Transport {
  readonly agents: ReturnType<typeof createAgents>;
  readonly resolve: ResolveHost;
  readonly isAllowed: AllowList;
  readonly ownUrl: string | null;
}

/**
 * The HTTP client of nodes. It supports only http and https. Every address is checked before connecting, also on each
 * redirect. The time limit covers the whole exchange. Redirects to another origin carry no credentials and no client
 * certificate. `maxRedirects: 0` returns the redirect itself; otherwise one redirect too many is an error, and so is
 * one that would need a streamed body again. `request`, and reading a streamed response, throws `OUTBOUND_REFUSED`,
 * `OUTBOUND_FAILED`, `OUTBOUND_TIMEOUT`, `OUTBOUND_TOO_LARGE`, the error of a streamed body, or the reason of the
 * request's aborted signal. Messages name method and host, never headers or query.
 * @throws AppError `CONFIGURATION_INVALID` if the allow-list is invalid
 */
export const createHttpClient = ({
  allow = [],
  ownUrl = null,
  lookup = resolveHost,
  clock = systemClock,
}: HttpClientOptions = {}): HttpClient => {
  const isAllowed = parseAllowList(allow);
  const transport: Transport = {
    agents: createAgents(() => clock.now()),
    resolve: lookup,
    isAllowed,
    ownUrl,
  };
  return {
    request: async (options) => {
      const request = completeRequest(options);
      const first = toFirstHop(request);
      const { timeoutMs, signal, maxResponseBytes: limitBytes, streamsBody } = request;
      const onTimeout = () => new AppError(OUTBOUND_TIMEOUT, { target: nameTarget(first), timeoutMs });
      const deadline = startDeadline({ timeoutMs, signal, onTimeout });
      const { hop, response } = await deadline.guard(
        sendFollowing(first, request, transport, deadline.signal),
      );
      const { headers, content } = openResponse(response, { target: nameTarget(hop), limitBytes });
      const stream = deadline.guardStream(content);
      return {
        status: response.statusCode ?? 0,
        headers,
        url: hop.url.href,
        ...(streamsBody === true ? { body: noBytes, stream } : { body: await buffer(stream), stream: null }),
      };
    },
  };
};

const noBytes = new Uint8Array();

const nameTarget = ({ method, url }: Pick<Hop, 'method' | 'url'>): string => `${method} ${url.host}`;

const toFirstHop = (request: OutboundRequest): Hop => {
  const method = request.method.toUpperCase();
  const url = URL.parse(request.url);
  const refuseRequest = (reason: string) => {
    const target = isToken(method) && url !== null ? nameTarget({ method, url }) : 'An outbound request';
    return new AppError(OUTBOUND_REFUSED, { target, reason });
  };
  if (url === null) throw refuseRequest('its URL is not absolute');
  // CONNECT would open a tunnel through a proxy.
  if (!isToken(method) || method === 'CONNECT') throw refuseRequest('its method cannot be used');
  // Node would silently omit the certificate.
  if (request.tls?.certificate === '' || request.tls?.key === '')
    throw refuseRequest('its client certificate is not complete');
  const headers: [string, string][] = [['user-agent', 'hookloom']];
  for (const [givenName, value] of Object.entries(request.headers)) {
    const name = givenName.toLowerCase();
    if (name === DEPTH_HEADER) continue;
    const problem = name === 'host' ? 'follows from the URL' : findHeaderProblem(name, value);
    if (problem !== null) throw refuseRequest(`its header "${name}" ${problem}`);
    headers.push([name, value]);
  }
  return {
    method,
    url,
    headers: Object.fromEntries(headers), // of a repeated name, the last one counts
    body: request.body,
    ...(request.bodyBytes === undefined ? {} : { bodyBytes: request.bodyBytes }),
    tls: request.tls,
  };
};

/**
 * Sends a request and follows its redirects.
 * @returns the last request and its response, whose body has not been read yet
 */
const sendFollowing = async (
  first: Hop,
  { maxRedirects, keepsBodyAtOrigin, startedBy }: OutboundRequest,
  transport: Transport,
  signal: AbortSignal,
): Promise<{ readonly hop: Hop; readonly response: IncomingMessage }> => {
  let hop = first;
  for (let redirects = 0; ; redirects += 1) {
    const target = nameTarget(hop);
    try {
      const response = await sendChecked(withDepth(hop, startedBy, transport), transport, signal);
      const status = response.statusCode ?? 0;
      const { location } = response.headers;
      if (maxRedirects === 0 || !REDIRECTS.has(status) || location === undefined) return { hop, response };
      response.destroy();
      const next = followRedirect(hop, status, location);
      if (next === null) throw unfollowed(target, 'it redirects to something that is not a URL');
      if (redirects === maxRedirects)
        throw unfollowed(target, `it redirected more than ${maxRedirects} times`);
      if (next.body !== null && keepsBodyAtOrigin === true && next.url.origin !== hop.url.origin)
        throw unfollowed(target, 'it redirects to another origin, and the body has a credential of this one');
      if (isStream(next.body))
        throw unfollowed(target, 'it redirects, and a streamed body cannot be sent again');
      hop = next;
    } catch (error) {
      throw isAppError(error) ? error : toOutboundFailure(target, error);
    }
  }
};

/** Adds the depth of the call, only for calls to this service itself. */
const withDepth = (hop: Hop, startedBy: JsonValue | undefined, { ownUrl }: Transport): Hop => {
  const { url } = hop;
  const { headers = null, executionId = null } = isPlainObject(startedBy) ? startedBy : {};
  const received = isPlainObject(headers) ? headers : {};
  const startedAt = URL.parse(`${url.protocol}//${received.host}`);
  if (url.host !== startedAt?.host && url.host !== URL.parse(ownUrl ?? '')?.host) return hop;
  return {
    ...hop,
    headers: { ...hop.headers, [DEPTH_HEADER]: toNextCall(received, executionId as string | null) },
  };
};

const sendChecked = (hop: Hop, { agents, resolve, isAllowed }: Transport, signal: AbortSignal) => {
  const { url } = hop;
  const target = nameTarget(hop);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new AppError(OUTBOUND_REFUSED, { target, reason: 'only http and https can be used' });
  }
  if (url.username !== '' || url.password !== '') {
    throw new AppError(OUTBOUND_REFUSED, {
      target,
      reason: 'credentials belong in a header, not in the URL',
    });
  }
  if (hop.tls !== undefined && url.protocol !== 'https:') {
    throw new AppError(OUTBOUND_REFUSED, {
      target,
      reason: 'a client certificate can only be used with https',
    });
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  const outbound = { target, host, port };
  // The URL parser has normalised odd forms (2130706433, 0x7f.1); sockets do not look up literals.
  if (isIP(host) !== 0) checkAddress(outbound, host, isAllowed);
  const lookup = createGuardedLookup(outbound, resolve, isAllowed);
  return sendHop(hop, { agent: agents.for(url.protocol), lookup, signal }, target);
};

/** The server has answered, with a redirect that is not followed. */
const unfollowed = (target: string, reason: string): AppError =>
  new AppError(OUTBOUND_FAILED, { target, reason, isAnswered: true });
