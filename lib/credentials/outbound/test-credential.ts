import type { HealthCheckResult } from '@hookloom/plugin-kit';
import { createCredentialCache } from './credential-cache.ts';
import { CredentialError } from './load-credential.ts';
import type { OutboundPorts } from './ports.ts';
import { createScrubber } from './scrubber.ts';
import { toContext } from './send-with-credential.ts';

/**
 * Runs the live test of a credential.
 *
 * @returns the result, without secrets; null if its type has no test
 * @throws CredentialError, AppError `STORE_UNAVAILABLE` | `SECRETS_UNAVAILABLE`
 */
export const testCredential = async (
  id: string,
  ports: OutboundPorts,
  signal: AbortSignal,
): Promise<HealthCheckResult | null> => {
  const cache = createCredentialCache(ports);
  const loaded = await cache.find(id);
  const { type, fields } = loaded;
  if (type.test === undefined) return null;
  const scrubber = createScrubber();
  for (const name of type.secretFields) scrubber.learn(fields[name] ?? '');
  try {
    return scrubber.scrub(
      toHealthResult(await type.test(fields, toContext(loaded, signal, { ...ports, cache }))),
    );
  } catch (error) {
    if (error instanceof CredentialError) throw error;
    return { status: 'unhealthy', message: scrubber.scrub(describeThrown(error)) };
  }
};

const STATUSES: readonly HealthCheckResult['status'][] = ['healthy', 'warning', 'unhealthy'];

/** A plain object, whatever the test returns: only plain objects are scrubbed. */
const toHealthResult = (result: unknown): HealthCheckResult => {
  const { status: given, message } = (result ?? {}) as Partial<HealthCheckResult>;
  const status = STATUSES.find((known) => known === given);
  if (status === undefined)
    return { status: 'unhealthy', message: 'its live test returned an invalid result' };
  return typeof message === 'string' && message.trim() !== '' ? { status, message } : { status };
};

const describeThrown = (error: unknown): string => {
  try {
    return error instanceof Error ? String(error.message) : String(error);
  } catch {
    return 'its live test threw an error that cannot be described';
  }
};
