import {
  type AwsKeys,
  type AwsRole,
  type Clock,
  createExpiringMemo,
  type Expiring,
} from '@hookloom/plugin-kit';
import { CREDENTIAL_REJECTED, OUTBOUND_FAILED } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import type { CallAws } from './aws-caller.ts';

/** Temporary keys of a role. */
type RoleSession = Required<Pick<AwsKeys, 'accessKeyId' | 'secretAccessKey' | 'sessionToken'>>;

const SESSION_SECONDS = 3_600;

/**
 * Assumes roles. Sessions are kept until they expire; concurrent callers share one.
 * https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html
 *
 * @param callSts - calls STS in a region
 * @returns a function that throws AppError `CREDENTIAL_REJECTED` if the service may not assume the role, or `OUTBOUND_FAILED`
 */
export const createRoleSessions = (
  callSts: (region: string) => CallAws,
  clock: Pick<Clock, 'now'>,
): ((role: AwsRole) => Promise<RoleSession>) => {
  const findSession = createExpiringMemo<string, RoleSession>(new Map());
  return (role) => {
    const { roleArn, externalId, region = 'us-east-1' } = role;
    const key = JSON.stringify([roleArn, externalId, region]);
    return findSession(key, clock.now(), () => assumeRole(role, region, callSts(region)));
  };
};

const assumeRole = async (
  { roleArn, externalId }: AwsRole,
  region: string,
  call: CallAws,
): Promise<Expiring<RoleSession>> => {
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
      throw new AppError(OUTBOUND_FAILED, { target, reason: 'it does not answer' }, cause);
    },
  );
  const xml = answer.body.toString();
  const read = (name: string): string => new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? '';
  if (answer.status !== 200) {
    const reason = /^\w{1,60}$/.exec(read('Code'))?.[0] ?? `it answered ${answer.status}`;
    throw new AppError(CREDENTIAL_REJECTED, { target, reason });
  }
  const value = {
    accessKeyId: read('AccessKeyId'),
    secretAccessKey: read('SecretAccessKey'),
    sessionToken: read('SessionToken'),
  };
  return { value, expiresAt: Date.parse(read('Expiration')) };
};
