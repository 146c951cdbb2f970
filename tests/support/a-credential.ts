import type { Credential } from '../../lib/credentials/credential.ts';
import { hashGenerated } from '../../lib/credentials/hash-secret.ts';

/** The API key `partner`, whose one secret is `right`. */
export const aCredential = (changes: Partial<Credential> = {}): Credential => ({
  id: 'partner',
  type: 'apiKey',
  username: null,
  secrets: [{ id: 's1', createdAt: '2026-01-01T00:00:00.000Z', hash: hashGenerated('right') }],
  revision: 1,
  ...changes,
});
