import { tryJson } from '../../../net/json.ts';
import { type Reply, toQueryError, toXml } from './reply.ts';

type Input = Readonly<Record<string, unknown>>;

/** A session that a caller may open, since its role trusts the caller. */
interface SessionRequest {
  readonly roleArn: string;
  readonly sessionName: string;
  /** A policy (JSON) that further limits the session. */
  readonly policy: unknown;
  /** When the session expires, in milliseconds since the epoch. */
  readonly expiresAt: number;
}

interface Session {
  readonly arn: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

interface SessionParts {
  readonly now: () => number;
  readonly open: (request: SessionRequest) => Session;
}

/** Minimum and maximum duration of a session, in seconds. A role allows an hour unless it specifies more. */
const LEAST = 900;
const MOST = 3_600;

/**
 * STS for permitted callers: keys for a role's session, and the caller's identity.
 * https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html
 */
export const createSessions = ({ now, open }: SessionParts) => {
  const assumeRole = (input: Input): Reply => {
    const { RoleArn, RoleSessionName, DurationSeconds = MOST, Policy } = input;
    const seconds = Number(DurationSeconds);
    if (!/^[\w+=,.@-]{2,64}$/.test(String(RoleSessionName)))
      return toQueryError(400, 'ValidationError', 'roleSessionName must have 2 to 64 of [\\w+=,.@-].');
    if (!(seconds >= LEAST && seconds <= MOST))
      return toQueryError(400, 'ValidationError', `DurationSeconds must be ${LEAST} to ${MOST}.`);
    const policy = parseSessionPolicy(Policy);
    if (policy === undefined) return toQueryError(400, 'MalformedPolicyDocument', 'The policy is not JSON.');
    const expiresAt = now() + seconds * 1_000;
    const session = open({
      roleArn: String(RoleArn),
      sessionName: String(RoleSessionName),
      policy,
      expiresAt,
    });
    return toXml(
      200,
      `<AssumeRoleResponse><AssumeRoleResult><AssumedRoleUser><Arn>${session.arn}</Arn></AssumedRoleUser><Credentials>` +
        `<AccessKeyId>${session.accessKeyId}</AccessKeyId><SecretAccessKey>${session.secretAccessKey}</SecretAccessKey>` +
        `<SessionToken>${session.sessionToken}</SessionToken><Expiration>${new Date(expiresAt).toISOString()}</Expiration>` +
        '</Credentials></AssumeRoleResult></AssumeRoleResponse>',
    );
  };

  return (operation: string, input: Input, callerArn: string): Reply | undefined => {
    if (operation === 'AssumeRole') return assumeRole(input);
    if (operation !== 'GetCallerIdentity') return undefined;
    const [, , , , account] = callerArn.split(':');
    const result = `<Arn>${callerArn}</Arn><UserId>${callerArn}</UserId><Account>${account}</Account>`;
    return toXml(
      200,
      `<GetCallerIdentityResponse><GetCallerIdentityResult>${result}</GetCallerIdentityResult></GetCallerIdentityResponse>`,
    );
  };
};

/** Parses a session's policy: null without one, undefined for one that is not JSON. */
const parseSessionPolicy = (policy: unknown): unknown =>
  policy === undefined ? null : tryJson(String(policy));
