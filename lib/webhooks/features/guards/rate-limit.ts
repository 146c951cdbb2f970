import { createHash } from 'node:crypto';
import { toCallerNetwork } from '@hookloom/plugin-kit';
import type { Answer } from '../../../shared/answer.ts';
import { isAppError } from '../../../shared/errors.ts';
import { featureError } from '../../../shared/feature-errors.ts';
import { isCredentialHeader } from '../../../shared/secrets/secret-names.ts';
import type { RateLimitRule } from '../../../workflows/webhook-rules/limits/rate-limit-rule.ts';
import { type Bucket, countTokens, lastFullAt, type Taking } from '../../limits/token-bucket.ts';
import type { Arrival, Stages, WebhookFeature } from '../../webhook-feature.ts';

const US_PER_MS = 1_000;
const US_PER_SECOND = 1_000_000;

/** Refuses requests above a rate, with a token bucket per webhook or per caller. */
export const rateLimit: WebhookFeature = (value, { clock, takeToken }) => {
  const rule = value as unknown as RateLimitRule;
  const { requests, seconds, burst = requests, onStoreFailure = 'closed' } = rule;
  const intervalUs = Math.ceil((seconds * US_PER_SECOND) / requests);
  const readCaller = callerReader(rule);

  const limit = async (arrival: Arrival): Promise<null> => {
    const { workflow, config } = arrival.webhook;
    const owner = [workflow.definition.id, config.triggerNodeId, requests, seconds, burst];
    const bucket = { key: hash([...owner, readCaller(arrival)]), burst, intervalUs };
    const now = clock.now() * US_PER_MS;
    const taking = await orOpen(takeToken(bucket, now, null), onStoreFailure);
    if (taking === null) return null;
    const waitUs = Math.max(0, taking.fullAt - lastFullAt(bucket, now));
    arrival.addHeaders(toHeaders(rule, bucket, taking, now, waitUs));
    if (!taking.isTaken) throw featureError('RATE_LIMITED', { retryAfterSeconds: toSeconds(waitUs) });
    return null;
  };
  return stageOf(rule, limit);
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

/** Hashed, so that callers do not control the key's length. */
const hash = (parts: readonly unknown[]): string =>
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

/** https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/10/ */
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
