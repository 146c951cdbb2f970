import type { AwsKeys, AwsRole, Clock, CredentialContext, OutboundRequest } from '@hookloom/plugin-kit';
import { type AwsCallerOptions, type CallAws, createAwsCaller } from './aws-caller.ts';
import { createRoleSessions } from './role-sessions.ts';
import { signAws } from './sign-request.ts';

/** Signs requests with roles that the service assumes. @internal */
export const createRoleSigner = (
  callSts: (region: string) => CallAws,
  clock: Pick<Clock, 'now'>,
): NonNullable<CredentialContext['signWithRole']> => {
  const findSession = createRoleSessions(callSts, clock);
  return async (request, role) => signRequest(request, await findSession(role), role, clock.now());
};

/** Creates a role signer for callers that do not use the environment's credentials. */
export const openRoleSigner = (
  clock: Pick<Clock, 'now'>,
  options: Pick<AwsCallerOptions, 'readCredentials'>,
) =>
  createRoleSigner(
    (region) => createAwsCaller({ service: 'sts', region, endpoint: null, ...options }),
    clock,
  );

/** Signs requests with static keys. */
export const createKeySigner =
  (clock: Pick<Clock, 'now'>): NonNullable<CredentialContext['signWithKeys']> =>
  async (request, keys) =>
    signRequest(request, keys, keys, clock.now());

/** Set by the HTTP client itself, to the values that were signed. */
const SET_BY_CLIENT = new Set(['host', 'content-length']);

const signRequest = (
  request: OutboundRequest,
  keys: Pick<AwsKeys, 'accessKeyId' | 'secretAccessKey' | 'sessionToken'>,
  { region, service }: Pick<AwsRole, 'region' | 'service'>,
  now: number,
): OutboundRequest => {
  const { host, origin, pathname, search } = new URL(request.url);
  const { body } = request;
  const given = Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]);
  const date = new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, '');
  const signed = signAws(
    {
      host,
      method: request.method.toUpperCase(),
      path: `${pathname}${search}`,
      headers: { ...Object.fromEntries(given), ...toHashHeader(request), 'x-amz-date': date },
      body: typeof body === 'string' || body instanceof Uint8Array ? body : undefined,
      ...(region === undefined ? {} : { region }),
      ...(service === undefined ? {} : { service }),
    },
    keys,
  );
  const headers = Object.entries(signed.headers ?? {})
    .map(([name, value]) => [name.toLowerCase(), String(value)] as const)
    .filter(([name]) => !SET_BY_CLIENT.has(name));
  return { ...request, url: `${origin}${signed.path ?? pathname}`, headers: Object.fromEntries(headers) };
};

/** A stream can't be hashed before it is sent, so S3 gets it unsigned. */
const toHashHeader = ({ body }: OutboundRequest): Readonly<Record<string, string>> =>
  body === null || typeof body === 'string' || body instanceof Uint8Array
    ? {}
    : { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
