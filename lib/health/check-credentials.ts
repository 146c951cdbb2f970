import pLimit from 'p-limit';
import type { CredentialStore } from '../credentials/credential.ts';
import type { OutboundCredentialStore } from '../credentials/outbound/outbound-credential.ts';
import type { CredentialUse, Usage } from './usage.ts';

/** A credential that stored workflows refer to. */
export interface CredentialState {
  readonly id: string;
  /** Null if the credential does not exist. */
  readonly type: string | null;
  readonly uses: readonly CredentialUse[];
  /** What is wrong with it, as a predicate without its name; null if nothing is. */
  readonly problem: string | null;
  /** For outbound credentials, which can be tested; null for inbound ones. */
  readonly revision: number | null;
  /** The hosts that an outbound credential is limited to; null for inbound ones, and for those created without hosts. */
  readonly hosts: readonly string[] | null;
}

export interface CredentialStores {
  readonly inbound: Pick<CredentialStore, 'find'>;
  readonly outbound: Pick<OutboundCredentialStore, 'find'>;
}

export interface CheckedCredentials {
  readonly states: readonly CredentialState[];
  /** Whether all credentials that workflows refer to were read. */
  readonly isComplete: boolean;
}

const CONCURRENCY = 8;

/**
 * Checks, from the table only, that the credentials of stored workflows exist, have a secret, and are of a type that
 * their nodes accept.
 *
 * @param max - how many to read at most
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const checkCredentials = async (
  { credentials }: Pick<Usage, 'credentials'>,
  stores: CredentialStores,
  max: number,
): Promise<CheckedCredentials> => {
  const limitReads = pLimit(CONCURRENCY);
  const states = await Promise.all(
    [...credentials].slice(0, max).map(([id, uses]) => limitReads(() => checkOne(id, uses, stores))),
  );
  return { states, isComplete: credentials.size <= max };
};

const checkOne = async (
  id: string,
  uses: readonly CredentialUse[],
  { inbound, outbound }: CredentialStores,
): Promise<CredentialState> => {
  const lent = await outbound.find(id);
  if (lent !== null) {
    const { type, revision, reference, hosts } = lent;
    const problem = reference === '' ? NO_SECRET : findMismatch(type, uses);
    return { id, type, uses, revision, hosts, problem };
  }
  const own = await inbound.find(id);
  if (own === null) return { id, type: null, uses, ...INBOUND, problem: 'does not exist' };
  const problem = own.secrets.length === 0 ? NO_SECRET : findMismatch(own.type, uses);
  return { id, type: own.type, uses, ...INBOUND, problem };
};

const INBOUND = { revision: null, hosts: null } as const;

const NO_SECRET = 'has no secret';

const findMismatch = (type: string, uses: readonly CredentialUse[]): string | null => {
  const wrong = uses.find(({ takes }) => takes !== null && !takes.includes(type));
  if (wrong === undefined) return null;
  const takes = wrong.takes?.join(', ') || 'none';
  return `has type ${type}, but ${wrong.nodeType} accepts ${takes}`;
};
