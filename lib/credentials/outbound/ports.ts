import type { CredentialContext, CredentialType, HttpClient, TcpClient } from '@hookloom/plugin-kit';
import type { LimiterPorts } from '../limits/call-limits.ts';
import type { HostLimits } from './host-limits.ts';
import type { OutboundCredentialStore } from './outbound-credential.ts';
import type { SecretStore } from './secret-store.ts';

/** What the outside gives to outbound credentials. A function picks what it needs. */
export interface OutboundPorts extends LimiterPorts {
  readonly store: OutboundCredentialStore;
  readonly secrets: SecretStore;
  readonly locks: RenewalLocks;
  /** The limits on calls to a host: for calls without a credential that has limits of its own. */
  readonly hostLimits: readonly HostLimits[];
  /** The types of the installed plugins, by id. */
  readonly findType: (type: string) => Promise<CredentialType | null>;
  readonly http: HttpClient;
  readonly tcp: TcpClient;
  /** Signs a request with a role; absent outside AWS. */
  readonly signWithRole?: CredentialContext['signWithRole'] | undefined;
  readonly signWithKeys?: CredentialContext['signWithKeys'] | undefined;
}

/** Its holder may renew or change a credential; no other may until the lock ends. */
export interface RenewalLock {
  readonly holder: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
  /** Whether its holder may be writing the secret, so that no edit may take it over. */
  readonly isWriting: boolean;
}

/** Why a server refused the last renewal. */
export interface RenewalRefusal {
  readonly reason: string;
  /** Of the credential that was refused: a later one is another secret. */
  readonly revision: number;
}

/** Locks that all sandboxes share, one per credential. All methods throw AppError `STORE_UNAVAILABLE`. */
export interface RenewalLocks {
  /** Finds a lock, with all changes; null if it was never taken. */
  find(credentialId: string): Promise<(RenewalLock & { readonly refusal: RenewalRefusal | null }) | null>;
  /** @returns false while another holds the lock at `now`, in milliseconds since the epoch */
  take(credentialId: string, lock: RenewalLock, now: number): Promise<boolean>;
  /** Takes a lock, also from another holder. @returns false while that one may be writing */
  takeOver(credentialId: string, lock: RenewalLock, now: number): Promise<boolean>;
  /**
   * Says that the holder writes the secret now, until the end that is given.
   * @returns false if another has taken the lock since
   */
  beginWriting(credentialId: string, lock: Pick<RenewalLock, 'holder' | 'until'>): Promise<boolean>;
  /**
   * Releases the lock, unless another has taken it since.
   * @param now - milliseconds since the epoch
   * @param refusal - is kept until the next renewal; null if there is none
   */
  release(credentialId: string, holder: string, now: number, refusal: RenewalRefusal | null): Promise<void>;
}
