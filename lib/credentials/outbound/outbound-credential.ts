import type { CredentialFields } from '@hookloom/plugin-kit';
import type { CallLimits } from '../limits/call-limits.ts';

/** An outbound credential, without its secret. */
export interface OutboundCredential {
  readonly id: string;
  /** Id of its credential type. */
  readonly type: string;
  /** The fields that are not secret. */
  readonly fields: CredentialFields;
  /**
   * The hosts that the credential is limited to, as in `isForHost`; null if it was created without hosts: it is then
   * sent to any host.
   */
  readonly hosts: readonly string[] | null;
  /** Limits on the calls that are sent with it; absent if there are none. */
  readonly limits?: CallLimits;
  /** When its secret expires: see `Credential`. */
  readonly expiresAt?: string;
  /** When its refresh token ends, as its server has said; absent if it has not. */
  readonly tokenEnd?: TokenEnd;
  /** Where the secret is stored: see {@link SecretStore}. */
  readonly reference: string;
  /** Number of changes; a write is conditional on it. */
  readonly revision: number;
}

export interface TokenEnd {
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Whether it counts as the credential's expiry: see {@link findTokenEnd}. */
  readonly isTold: boolean;
}

/** When a credential expires: what people have said wins. */
export const findExpiry = ({
  expiresAt,
  tokenEnd,
}: Pick<OutboundCredential, 'expiresAt' | 'tokenEnd'>): string | undefined =>
  expiresAt ?? (tokenEnd?.isTold ? tokenEnd.at : undefined);

/** A lifetime is counted by two clocks, and its answer takes a while. */
const SAME_END_MS = 60_000;
/** What ends sooner and is postponed by each renewal would always be about to expire. */
const TOLD_FROM_MS = 14 * 86_400_000;

/**
 * What a renewal makes of the known end of a refresh token.
 *
 * @param end - as the server says it, in milliseconds since the epoch; null if that is not known
 * @returns null if nothing is known
 */
export const findTokenEnd = (
  before: TokenEnd | undefined,
  end: number | null,
  now: number,
): TokenEnd | null => {
  if (end === null || Number.isNaN(new Date(end).getTime())) return null;
  if (before !== undefined && Math.abs(Date.parse(before.at) - end) < SAME_END_MS)
    return { at: before.at, isTold: true }; // renewals do not postpone it
  return { at: new Date(end).toISOString(), isTold: end - now >= TOLD_FROM_MS };
};

/** Shares ids with the inbound credentials. Every method throws AppError `STORE_UNAVAILABLE`. */
export interface OutboundCredentialStore {
  find(credentialId: string): Promise<OutboundCredential | null>;
  /** Finds a credential with all changes; `find` may miss the latest. */
  findLatest(credentialId: string): Promise<OutboundCredential | null>;
  /**
   * Replaces `revision - 1` of the credential; revision 1 creates it.
   *
   * @throws AppError `CREDENTIAL_CHANGED` when the store has a different revision or an inbound credential
   */
  put(credential: OutboundCredential): Promise<void>;
  /** Notes when the refresh token of a credential ends; null if that is not known. Its revision stays. */
  noteTokenEnd(credentialId: string, end: TokenEnd | null): Promise<void>;
  /** Removes this revision of the credential. @returns false if it was changed or does not exist */
  remove(credential: Pick<OutboundCredential, 'id' | 'revision'>): Promise<boolean>;
  list(): Promise<OutboundCredential[]>;
}
