import type { Answer } from '../../api/routes.ts';

type Report = Answer<'GET /api/admin/plugins/health'>;
type CredentialHealth = NonNullable<Report['plugins'][string]['credentials']>[string];

const WORST_FIRST = ['unhealthy', 'warning', 'healthy'];

/** What is known of a credential's health so far. */
type KnownHealth =
  | { readonly is: 'loading' | 'unused' }
  | { readonly is: 'unknown'; readonly reason: string }
  | { readonly is: 'reported'; readonly health: CredentialHealth };

/**
 * The health of a credential: the worst that a plugin reports of it. The report takes longer than the credentials.
 */
export const findHealth = (
  { data, error }: { readonly data?: Report | undefined; readonly error: Error | null },
  credentialId: string,
): KnownHealth => {
  if (data === undefined)
    return error === null ? { is: 'loading' } : { is: 'unknown', reason: error.message };
  const [health] = Object.values(data.plugins)
    .flatMap(({ credentials = {} }) =>
      Object.hasOwn(credentials, credentialId) ? [credentials[credentialId]] : [],
    )
    .filter((found) => found !== undefined)
    .sort((one, other) => WORST_FIRST.indexOf(one.status) - WORST_FIRST.indexOf(other.status));
  return health === undefined ? { is: 'unused' } : { is: 'reported', health };
};
