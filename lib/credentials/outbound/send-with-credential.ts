import {
  type CredentialContext,
  type CredentialFields,
  NodeError,
  type OutboundRequest,
  type OutboundResponse,
} from '@hookloom/plugin-kit';
import { quote, quoteAll } from '../../shared/describe.ts';
import { isAppError } from '../../shared/errors.ts';
import type { CredentialCache } from './credential-cache.ts';
import { hostOfUrl, isForHost } from './host-pattern.ts';
import { CredentialError, type LoadedCredential } from './load-credential.ts';
import type { OutboundPorts } from './ports.ts';
import { isBound } from './secret-store.ts';

/** What the requests of credential types need, such as to a token endpoint. */
type ContextPorts = Pick<OutboundPorts, 'http' | 'tcp' | 'clock' | 'signWithRole' | 'signWithKeys'> & {
  readonly cache: CredentialCache;
};

/**
 * Sends a request with a credential. On a 401, the credential is loaded again; if that changes the request, it is sent
 * once more.
 *
 * The credential must be allowed for the request's host: this is checked before the credential is applied, again on the
 * request that its type returns, and likewise before the retry. A redirect to another origin is followed without the
 * credential.
 *
 * @param onApplied - called with the request before it is sent
 * @throws CredentialError, NodeError `CredentialNotForHost`, and the errors of the HTTP client
 */
export const sendWithCredential = async (
  id: string,
  request: OutboundRequest,
  ports: ContextPorts & {
    /** For the requests of nodes. @param loaded - the credential that is sent */
    readonly send: (loaded: LoadedCredential, request: OutboundRequest) => Promise<OutboundResponse>;
  },
  onApplied: (loaded: LoadedCredential, applied: OutboundRequest) => void,
): Promise<OutboundResponse> => {
  const { cache, http, send, clock } = ports;
  const startedAt = clock.now();
  const apply = async (loaded: LoadedCredential, rejected: CredentialFields | null) => {
    if (loaded.type.setsUrl !== true) checkHost(loaded, request.url);
    const applied = await applyCredential(
      loaded,
      request,
      toContext(loaded, request.signal, ports, rejected),
    );
    onApplied(loaded, applied);
    checkHost(loaded, applied.url);
    return applied.body === request.body ? applied : { ...applied, keepsBodyAtOrigin: true as const };
  };
  const refresh = async ({ fields }: LoadedCredential) => apply(await cache.refresh(id, fields), fields);

  const loaded = await cache.find(id);
  // The client refuses it, with the reason. No credential is applied to a request that can't be sent.
  if (loaded.type.setsUrl !== true && hostOfUrl(request.url) === null) return http.request(request);
  const first = await apply(loaded, null).catch((error: unknown) => {
    if (!isAppError(error, 'CREDENTIAL_REJECTED')) throw error;
    return refresh(loaded);
  });
  const response = await send(loaded, first);
  if (response.status !== 401 || !isRepeatable(request)) return response;
  const second = await refresh(loaded);
  if (isSameRequest(first, second)) return response;
  if (response.stream !== null) await discardResponse(response.stream);
  const timeoutMs = Math.max(1, request.timeoutMs - (clock.now() - startedAt));
  return send(loaded, { ...second, timeoutMs });
};

/** @throws NodeError `CredentialNotForHost` when the credential is not allowed for the URL's host */
export const checkHost = ({ record: { id, hosts } }: Pick<LoadedCredential, 'record'>, url: string): void => {
  if (hosts === null || isForHost(hosts, url)) return;
  const asked = quote(hostOfUrl(url) ?? 'a URL that cannot be requested');
  throw new NodeError(
    `credential ${quote(id)} is allowed for ${describeHosts(hosts)}, but not for ${asked}`,
    {
      name: 'CredentialNotForHost',
      isRetryable: false,
    },
  );
};

const describeHosts = (hosts: readonly string[]): string =>
  hosts.length === 0 ? 'no host' : quoteAll(hosts);

/** Frees the connection of a response. A stream can be closed only once reading has begun. */
const discardResponse = async (stream: AsyncIterable<Uint8Array>): Promise<void> => {
  const chunks = stream[Symbol.asyncIterator]();
  await chunks.next().catch(() => {}); // a broken response is discarded as well
  await chunks.return?.();
};

const applyCredential = async (
  { record, type, fields }: LoadedCredential,
  request: OutboundRequest,
  context: CredentialContext,
): Promise<OutboundRequest> => {
  if (type.apply !== undefined) return type.apply(request, fields, context);
  const reason = `type ${type.id} provides its fields to nodes and can't be added to a request`;
  throw new CredentialError('CredentialUnusable', `credential "${record.id}" can't be used: ${reason}`);
};

export const toContext = (
  { record: { id, reference } }: Pick<LoadedCredential, 'record'>,
  signal: AbortSignal,
  { cache, http, tcp, clock, signWithRole, signWithKeys }: ContextPorts,
  rejected: CredentialFields | null = null,
): CredentialContext => ({
  http,
  tcp,
  clock,
  signal,
  ...(isBound(reference) ? {} : { renewSecrets: (renewal) => cache.renew(id, renewal) }),
  ...(rejected === null ? {} : { rejected }),
  ...(signWithRole === undefined ? {} : { signWithRole }),
  ...(signWithKeys === undefined ? {} : { signWithKeys }),
});

/** Whether a request can be sent again: the first one consumes a stream. */
const isRepeatable = ({ body }: OutboundRequest): boolean =>
  body === null || typeof body === 'string' || body instanceof Uint8Array;

const isSameRequest = (a: OutboundRequest, b: OutboundRequest): boolean =>
  a.url === b.url && JSON.stringify(a.headers) === JSON.stringify(b.headers);
