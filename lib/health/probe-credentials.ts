import type { Clock, HealthCheckResult } from '@hookloom/plugin-kit';
import pLimit from 'p-limit';
import { describeError, withinDeadline } from '../plugins/call-plugin.ts';
import type { CredentialState } from './stored-facts.ts';

/** The result of a live test. */
export interface Probe {
  /** The test's status; `untested` means that the type has no test, or that the report's limits were reached first. */
  readonly status: HealthCheckResult['status'] | 'untested';
  readonly message?: string;
  /** When the test ran, in milliseconds since the epoch; null if the report's limits were reached first. */
  readonly testedAt: number | null;
}

/**
 * Runs the live test of a credential; the result contains no secret.
 *
 * @returns null if its type has no test
 */
export type TestCredential = (id: string, signal: AbortSignal) => Promise<HealthCheckResult | null>;

interface ProbeLimits {
  /** Maximum number of tests per report, not counting cached results. */
  readonly max: number;
  readonly deadlineMs: number;
  /** No test starts after this time; milliseconds since the epoch. */
  readonly endsAt: number;
}

type Probed = Pick<CredentialState, 'id' | 'revision'>;

const CONCURRENCY = 5;

/** How long a sandbox caches a result; unhealthy results are not reused, so that a fix shows at once. */
const KEPT_MS = 60_000;
const MAX_KEPT = 500;

/**
 * Creates the function that tests credentials, within the limits, and caches the results. The least recently tested
 * come first: if there are more than one report can test, the next report tests the others.
 */
export const createProbes = (clock: Clock, test: TestCredential) => {
  /** The latest result for each credential, ordered by the time of the test. */
  const known = new Map<string, Probe>();

  const findFresh = (credential: Probed): Probe | null => {
    const probe = known.get(keyOfProbe(credential));
    const age = clock.now() - (probe?.testedAt ?? Number.NEGATIVE_INFINITY);
    if (probe === undefined || age < 0 || age >= KEPT_MS) return null;
    return probe.status === 'healthy' || probe.status === 'untested' ? probe : null;
  };

  const keep = (credential: Probed, probe: Probe): Probe => {
    known.delete(keyOfProbe(credential));
    known.set(keyOfProbe(credential), probe);
    const [oldest] = known.keys();
    if (known.size > MAX_KEPT && oldest !== undefined) known.delete(oldest);
    return probe;
  };

  const probeOne = async (credential: Probed, { deadlineMs, endsAt }: ProbeLimits): Promise<Probe> => {
    const testedAt = clock.now();
    const ms = Math.min(deadlineMs, endsAt - testedAt);
    if (ms <= 0) return { status: 'untested', message: 'the report ran out of time', testedAt: null };
    const result = await withinDeadline(clock, ms, (signal) => test(credential.id, signal)).catch(
      (error: unknown) => ({ status: 'unhealthy' as const, message: describeError(error) }),
    );
    return keep(credential, { ...toProbeResult(result), testedAt });
  };

  return async (credentials: readonly Probed[], limits: ProbeLimits): Promise<ReadonlyMap<string, Probe>> => {
    const order = [...known.keys()];
    const pending = credentials
      .filter((credential) => findFresh(credential) === null)
      .sort((a, b) => order.indexOf(keyOfProbe(a)) - order.indexOf(keyOfProbe(b)))
      .slice(0, limits.max);
    const results = await pLimit(CONCURRENCY).map(
      pending,
      async (credential) => [credential.id, await probeOne(credential, limits)] as const,
    );
    const tested = new Map(results);
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
  message: 'there are more credentials than one report can test',
  testedAt: null,
};

/** Returns the key of a probe, with the revision, since a new revision is a new secret. */
const keyOfProbe = ({ id, revision }: Probed): string => `${id}/${revision}`;

const toProbeResult = (result: HealthCheckResult | null): Omit<Probe, 'testedAt'> => {
  if (result === null) return { status: 'untested', message: 'its type has no live test' };
  const { status, message } = result;
  return message === undefined ? { status } : { status, message: describeError(message) };
};
