import type { HealthCheckResult } from '../../contract/health-check-result.ts';
import { createCredentialCache } from './credential-cache.ts';
import { CredentialError } from './load-credential.ts';
import type { OutboundCredentialParts } from './outbound-credentials.ts';
import { createScrubber } from './scrubber.ts';
import { toContext } from './send-with-credential.ts';

/**
 * Makes the live test of a credential.
 *
 * @returns the result, without secrets; null when its type has no test
 * @throws CredentialError, AppError `STORE_UNAVAILABLE` | `SECRETS_UNAVAILABLE`
 */
export const testCredential = async (
  id: string,
  parts: OutboundCredentialParts,
  signal: AbortSignal,
): Promise<HealthCheckResult | null> => {
  const cache = createCredentialCache(parts);
  const { type, fields } = await cache.find(id);
  if (type.test === undefined) return null;
  const scrubber = createScrubber();
  for (const name of type.secretFields) scrubber.learn(fields[name] ?? '');
  try {
    return scrubber.scrub(await type.test(fields, toContext(id, signal, { ...parts, cache })));
  } catch (error) {
    if (error instanceof CredentialError) throw error;
    return {
      status: 'unhealthy',
      message: scrubber.scrub(error instanceof Error ? error.message : String(error)),
    };
  }
};
