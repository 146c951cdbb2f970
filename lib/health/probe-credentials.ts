import type { Clock, HealthCheckResult } from '@hookloom/plugin-kit';
import pLimit from 'p-limit';
import { describeError } from '../plugins/describe-error.ts';
import { withinDeadline } from '../plugins/within-deadline.ts';
import type { CredentialState } from './check-credentials.ts';

/** The result of a live test. */
export interface Probe {
  /** `untested`: its type has no test, or the limits of the report left no room for it. */
  readonly status: HealthCheckResult['status'] | 'untested';
  readonly message?: string;
  /** Milliseconds since the epoch; null when the limits left no room for it. */
  readonly testedAt: number | null;
}

/**
 * Makes the live test of a credential, which leaves no secret in its result.
 *
 * @returns null when its type has no test
 */
export type TestCredential = (id: string, signal: AbortSignal) => Promise<HealthCheckResult | null>;

interface ProbeLimits {
  /** How many are tested for one report, those that are known already not counted. */
  readonly max: number;
  readonly deadlineMs: number;
  /** No test begins from then on; milliseconds since the epoch. */
  readonly endsAt: number;
}

type Probed = Pick<CredentialState, 'id' | 'revision'>;

/** Tests that run at the same time. */
const CONCURRENCY = 5;

/** How long a sandbox keeps a result; one that is not healthy is for its report alone, so that a repair shows at once. */
const KEPT_MS = 60_000;
const MAX_KEPT = 500;

/**
 * Creates the function that tests credentials, within the limits, and keeps what it has found. Those that were tested
 * the longest time ago come first: with more than a report can test, the next one tests others.
 */
export const createProbes = (clock: Clock, test: TestCredential) => {
  /** In the order of their last test. */
  const known = new Map<string, Probe>();

  const findFresh = (credential: Probed): Probe | null => {
    const probe = known.get(keyOf(credential));
    const age = clock.now() - (probe?.testedAt ?? Number.NEGATIVE_INFINITY);
    if (probe === undefined || age < 0 || age >= KEPT_MS) return null;
    return probe.status === 'healthy' || probe.status === 'untested' ? probe : null;
  };

  const keep = (credential: Probed, probe: Probe): Probe => {
    known.delete(keyOf(credential));
    known.set(keyOf(credential), probe);
    const [oldest] = known.keys();
    if (known.size > MAX_KEPT && oldest !== undefined) known.delete(oldest);
    return probe;
  };

  const probeOne = async (credential: Probed, { deadlineMs, endsAt }: ProbeLimits): Promise<Probe> => {
    const testedAt = clock.now();
    const ms = Math.min(deadlineMs, endsAt - testedAt);
    if (ms <= 0) return { status: 'untested', message: 'the time of the report was up', testedAt: null };
    const result = await withinDeadline(clock, ms, (signal) => test(credential.id, signal)).catch(
      (error: unknown) => ({ status: 'unhealthy' as const, message: describeError(error) }),
    );
    return keep(credential, { ...toResult(result), testedAt });
  };

  /** @returns the results by id */
  return async (credentials: readonly Probed[], limits: ProbeLimits): Promise<ReadonlyMap<string, Probe>> => {
    const order = [...known.keys()];
    const pending = credentials
      .filter((credential) => findFresh(credential) === null)
      .sort((a, b) => order.indexOf(keyOf(a)) - order.indexOf(keyOf(b)))
      .slice(0, limits.max);
    const limitTests = pLimit(CONCURRENCY);
    const tested = new Map(
      await Promise.all(
        pending.map((credential) =>
          limitTests(async () => [credential.id, await probeOne(credential, limits)] as const),
        ),
      ),
    );
    return new Map(
      credentials.map((credential) => [
        credential.id,
        tested.get(credential.id) ?? findFresh(credential) ?? TOO_MANY,
      ]),
    );
  };
};

const TOO_MANY: Probe = {
  status: 'untested',
  message: 'there are more credentials than one report tests',
  testedAt: null,
};

/** Another revision is another secret. */
const keyOf = ({ id, revision }: Probed): string => `${id}/${revision}`;

const toResult = (result: HealthCheckResult | null): Omit<Probe, 'testedAt'> => {
  if (result === null) return { status: 'untested', message: 'its type has no live test' };
  const { status, message } = result;
  return message === undefined ? { status } : { status, message: describeError(message) };
};
