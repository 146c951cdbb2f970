import { createHash } from 'node:crypto';
import { type JsonObject, Type, toCallerNetwork } from '@hookloom/plugin-kit';
import type { FromSchema } from '@hookloom/plugin-kit/host';
import type { Answer } from '../../../shared/answer.ts';
import { RATE_LIMITED } from '../../../shared/error-catalogue.ts';
import { AppError, isAppError } from '../../../shared/errors.ts';
import { isCredentialHeader } from '../../../shared/secrets/secret-names.ts';
import { type Problem, problemsWhere } from '../../../workflows/definition/problem.ts';
import { type Bucket, countTokens, lastFullAt, type Taking } from '../../limits/token-bucket.ts';
import { type Arrival, defineFeature, type Stages } from '../../webhook-feature.ts';

/** Writes that DynamoDB accepts for one item: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html */
const MAX_PER_SECOND = 1_000;
const US_PER_MS = 1_000;
const US_PER_SECOND = 1_000_000;

const schema = Type.Object(
  {
    requests: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'Maximum number of requests in the period',
    }),
    seconds: Type.Integer({ minimum: 1, maximum: 86_400, description: 'The time' }),
    per: Type.Enum(['path', 'caller'], { description: 'What the limit applies to' }),
    by: Type.Optional(
      Type.String({
        pattern: "^(ip|credential|header:[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100})$",
        description:
          'How callers are distinguished: ip (the default; IPv6 by /64), credential, or header:NAME',
      }),
    ),
    burst: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: 'Maximum number of requests at once after a pause; by default as many as `requests`',
      }),
    ),
    onStoreFailure: Type.Optional(
      Type.Enum(['open', 'closed'], {
        description:
          'Whether requests are accepted (open) or refused (closed, the default) while the store fails',
      }),
    ),
  },
  {
    description:
      'Requests above this rate get 429 with Retry-After. The limit is a token bucket, exact across all processes',
    examples: [
      { requests: 100, seconds: 60, per: 'path' },
      { requests: 10, seconds: 1, per: 'caller', by: 'header:x-tenant', burst: 50, onStoreFailure: 'open' },
    ],
  },
);

type RateLimitRule = FromSchema<typeof schema>;

/** Refuses requests above a rate, with a token bucket per webhook or per caller. */
export const rateLimit = defineFeature({
  name: 'rateLimit',
  schema,
  check: (rule, { parameters }) => findProblems(rule, parameters),
  stages: (rule, { clock, takeToken }) => {
    const { requests, seconds, burst = requests, onStoreFailure = 'closed' } = rule;
    const intervalUs = Math.ceil((seconds * US_PER_SECOND) / requests);
    const readCaller = callerReader(rule);

    const limit = async (arrival: Arrival): Promise<null> => {
      const { workflow, config } = arrival.webhook;
      const owner = [workflow.definition.id, config.triggerNodeId, requests, seconds, burst];
      const bucket = { key: hashBucketKey([...owner, readCaller(arrival)]), burst, intervalUs };
      const now = clock.now() * US_PER_MS;
      const taking = await orOpen(takeToken(bucket, now, null), onStoreFailure);
      if (taking === null) return null;
      const waitUs = Math.max(0, taking.fullAt - lastFullAt(bucket, now));
      arrival.addHeaders(toHeaders(rule, bucket, taking, now, waitUs));
      if (!taking.isTaken) throw new AppError(RATE_LIMITED, { retryAfterSeconds: toSeconds(waitUs) });
      return null;
    };
    return stageOf(rule, limit);
  },
});

const findProblems = (
  { requests, seconds, per, by }: RateLimitRule,
  { authentication = 'none' }: JsonObject,
): Problem[] => {
  const tooFast = `is more than ${MAX_PER_SECOND} per second, which is the most that the store can handle`;
  const secret = 'names a header that carries a credential: use credential, or a different header';
  const isSecret = by?.startsWith(HEADER) === true && isCredentialHeader(by.slice(HEADER.length));
  return problemsWhere(
    [requests / seconds > MAX_PER_SECOND, '/requests', tooFast],
    [by !== undefined && per !== 'caller', '/by', 'has no effect: set per to caller'],
    [
      by === 'credential' && authentication === 'none',
      '/by',
      'needs the parameter authentication, with apiKey or basic',
    ],
    [isSecret, '/by', secret],
  );
};

/** What callers claim about themselves counts only once verified: forged requests must not take another caller's tokens. */
const stageOf = ({ per, by = 'ip' }: RateLimitRule, limit: NonNullable<Stages['admit']>): Stages =>
  per === 'caller' && by !== 'ip' ? { verify: limit } : { admit: limit };

const HEADER = 'header:';

/** @returns reads what all requests of one bucket have in common */
const callerReader = ({ per, by = 'ip' }: RateLimitRule): ((arrival: Arrival) => readonly string[]) => {
  if (per === 'path') return () => [];
  if (by === 'ip') return readNetwork;
  const name = by.slice(HEADER.length).toLowerCase();
  // For rules stored before such headers were refused: a bucket per value would reveal whether a guessed credential is
  // right.
  if (by === 'credential' || isCredentialHeader(name)) return readCredential;
  return ({ request: { headers } }) => [headers[name] ?? ''];
};

const readNetwork = ({ request }: Arrival): readonly string[] => [toCallerNetwork(request.remoteAddress)];

/**
 * The id of the verified secret, and nothing derived from the secret itself: buckets are stored, and an unsalted hash
 * would let a password be guessed.
 */
const readCredential = (arrival: Arrival): readonly string[] => {
  const { secretId = null, webhook } = arrival;
  return secretId === null ? readNetwork(arrival) : [webhook.config.credentialId ?? '', secretId];
};

/** Hashes the parts of a bucket's key, so that callers do not control its length. */
const hashBucketKey = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts.flat())).digest('base64url');

const orOpen = async (
  taking: Promise<Taking>,
  onStoreFailure: RateLimitRule['onStoreFailure'],
): Promise<Taking | null> => {
  try {
    return await taking;
  } catch (error) {
    if (onStoreFailure === 'open' && isAppError(error, 'STORE_UNAVAILABLE')) return null;
    throw error;
  }
};

const toSeconds = (us: number): number => Math.ceil(us / US_PER_SECOND);

/** Documented at https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/10/ */
const toHeaders = (
  { requests, seconds, per }: RateLimitRule,
  bucket: Bucket,
  { isTaken, fullAt }: Taking,
  now: number,
  waitUs: number,
): Answer['headers'] => {
  // The same point in time as Retry-After, if sent (§6.3).
  const resetUs = isTaken ? Math.max(0, fullAt - now) : waitUs;
  const left = isTaken ? countTokens(bucket, fullAt, now) : 0;
  return {
    'ratelimit-policy': `"${per}";q=${requests};w=${seconds}`,
    ratelimit: `"${per}";r=${left};t=${toSeconds(resetUs)}`,
  };
};
