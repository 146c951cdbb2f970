import aws4 from 'aws4';
import type { AwsRole, CredentialContext } from '../../contract/credential-type.ts';
import type { Clock, OutboundRequest } from '../../contract/services.ts';
import { AppError } from '../../shared/errors.ts';
import { createExpiringMemo, type Expiring } from '../../shared/expiring-memo.ts';
import { type AwsCallerOptions, type CallAws, createAwsCaller } from './aws-caller.ts';

interface Session {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

const SESSION_SECONDS = 3_600;

/**
 * Signs requests with roles that the service assumes. Sessions are kept until they expire; concurrent requests share one.
 * https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html
 *
 * @param callSts - calls STS in a region
 */
export const createRoleSigner = (
  callSts: (region: string) => CallAws,
  clock: Pick<Clock, 'now'>,
): NonNullable<CredentialContext['signWithRole']> => {
  const findSession = createExpiringMemo<string, Session>(new Map());
  return async (request, role) => {
    const { roleArn, externalId, region = 'us-east-1' } = role;
    const key = JSON.stringify([roleArn, externalId, region]);
    const session = await findSession(key, clock.now(), () => assumeRole(role, region, callSts(region)));
    return signRequest(request, session, role, clock.now());
  };
};

/** For callers with other credentials than the environment's. */
export const openRoleSigner = (
  clock: Pick<Clock, 'now'>,
  options: Pick<AwsCallerOptions, 'readCredentials'>,
) =>
  createRoleSigner(
    (region) => createAwsCaller({ service: 'sts', region, endpoint: null, ...options }),
    clock,
  );

const assumeRole = async (
  { roleArn, externalId }: AwsRole,
  region: string,
  call: CallAws,
): Promise<Expiring<Session>> => {
  const target = `POST sts.${region}.amazonaws.com`;
  const form = new URLSearchParams({
    Action: 'AssumeRole',
    Version: '2011-06-15',
    RoleArn: roleArn,
    RoleSessionName: 'hookloom',
    DurationSeconds: String(SESSION_SECONDS),
    ...(externalId === undefined ? {} : { ExternalId: externalId }),
  });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await call({ method: 'POST', path: '/', headers, body: form.toString() }).catch(
    (cause: unknown) => {
      throw new AppError('OUTBOUND_FAILED', { target, reason: 'it does not answer' }, cause);
    },
  );
  const xml = answer.body.toString();
  const read = (name: string): string => new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? '';
  if (answer.status !== 200) {
    const reason = /^\w{1,60}$/.exec(read('Code'))?.[0] ?? `it answered ${answer.status}`;
    throw new AppError('CREDENTIAL_REJECTED', { target, reason });
  }
  const value = {
    accessKeyId: read('AccessKeyId'),
    secretAccessKey: read('SecretAccessKey'),
    sessionToken: read('SessionToken'),
  };
  return { value, expiresAt: Date.parse(read('Expiration')) };
};

/** Set by the HTTP client itself, to the values that were signed. */
const SET_BY_CLIENT = new Set(['host', 'content-length']);

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html */
const signRequest = (
  request: OutboundRequest,
  { accessKeyId, secretAccessKey, sessionToken }: Session,
  { region, service }: AwsRole,
  now: number,
): OutboundRequest => {
  const { host, origin, pathname, search } = new URL(request.url);
  const given = Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]);
  const date = new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, '');
  const unsigned = {
    host,
    method: request.method.toUpperCase(),
    path: `${pathname}${search}`,
    headers: { ...Object.fromEntries(given), ...toHashHeader(request), 'x-amz-date': date },
    ...toSignable(request),
    ...(region === undefined ? {} : { region }),
    ...(service === undefined ? {} : { service }),
  };
  const signed = aws4.sign(unsigned, { accessKeyId, secretAccessKey, sessionToken });
  const headers = Object.entries(signed.headers ?? {})
    .map(([name, value]) => [name.toLowerCase(), String(value)] as const)
    .filter(([name]) => !SET_BY_CLIENT.has(name));
  return { ...request, url: `${origin}${signed.path ?? pathname}`, headers: Object.fromEntries(headers) };
};

const toSignable = ({ body }: OutboundRequest) => {
  if (typeof body === 'string') return { body };
  return body instanceof Uint8Array
    ? { body: Buffer.from(body.buffer, body.byteOffset, body.byteLength) }
    : {};
};

/** A stream can't be hashed before it is sent: S3 takes it unsigned. */
const toHashHeader = ({ body }: OutboundRequest): Readonly<Record<string, string>> =>
  body === null || typeof body === 'string' || body instanceof Uint8Array
    ? {}
    : { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
