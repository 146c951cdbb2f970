import type { AwsKeys, CredentialContext, CredentialFields } from '../contract/credential-type.ts';
import type { OutboundResponse } from '../contract/services.ts';
import { AppError } from '../shared/errors.ts';
import { createMemoByFields, type Expiring } from './memo-by-fields.ts';
import { signRequest } from './sign-request.ts';

const TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 65_536;
const SESSION_SECONDS = 3_600;

const sessions = createMemoByFields<AwsKeys>();

/**
 * The keys of a session of the role, kept until shortly before they expire.
 * https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html
 *
 * @throws AppError `CREDENTIAL_REJECTED` when STS refuses, and `OUTBOUND_*`
 */
export const assumeRole = (
  fields: CredentialFields,
  context: CredentialContext,
  timeoutMs = TIMEOUT_MS,
): Promise<AwsKeys> =>
  sessions(fields, context.clock.now(), () => requestSession(fields, context, timeoutMs));

const requestSession = async (
  fields: CredentialFields,
  context: CredentialContext,
  timeoutMs: number,
): Promise<Expiring<AwsKeys>> => {
  const { roleArn = '', externalId = '', region = 'us-east-1' } = fields;
  const suffix = roleArn.startsWith('arn:aws-cn:') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const host = `sts.${region}.${suffix}`;
  const form = new URLSearchParams({
    Action: 'AssumeRole',
    Version: '2011-06-15',
    RoleArn: roleArn,
    RoleSessionName: 'hookloom',
    DurationSeconds: String(SESSION_SECONDS),
    ...(externalId === '' ? {} : { ExternalId: externalId }),
  });
  const request = {
    method: 'POST',
    url: `https://${host}/`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
    timeoutMs,
    maxRedirects: 0,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    signal: new AbortController().signal, // other attempts may wait for the same session
  };
  const scope = { region, service: 'sts', now: context.clock.now() };
  const response = await context.http.request(signRequest(request, await findKeys(fields, context), scope));
  return readSession(response, `POST ${host}`);
};

const findKeys = async (
  { accessKeyId, secretAccessKey }: CredentialFields,
  { awsKeys }: CredentialContext,
): Promise<AwsKeys> => {
  if (accessKeyId && secretAccessKey) return { accessKeyId, secretAccessKey };
  if (awsKeys !== undefined) return awsKeys();
  throw new Error('outside of AWS, a credential of the type awsRole needs accessKeyId and secretAccessKey');
};

const readSession = ({ status, body }: OutboundResponse, target: string): Expiring<AwsKeys> => {
  const xml = new TextDecoder().decode(body);
  const read = (name: string): string => new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? '';
  const code = read('Code');
  if ((status === 400 || status === 403) && code !== 'Throttling') {
    const reason = /^\w{1,60}$/.test(code) ? code : `it answered ${status}`;
    throw new AppError('CREDENTIAL_REJECTED', { target, reason });
  }
  const value = {
    accessKeyId: read('AccessKeyId'),
    secretAccessKey: read('SecretAccessKey'),
    sessionToken: read('SessionToken'),
  };
  const expiresAt = Date.parse(read('Expiration'));
  if (status !== 200 || Object.values(value).includes('') || Number.isNaN(expiresAt))
    throw new AppError('OUTBOUND_FAILED', { target, reason: `it answered ${status} without keys` });
  return { value, expiresAt };
};
