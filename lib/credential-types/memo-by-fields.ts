import type { CredentialFields } from '../contract/credential-type.ts';

/** A value that is derived from the fields of a credential and expires. */
export interface Expiring<Value> {
  readonly value: Value;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** A value counts as expired this long before, so that it is valid when it arrives. */
const MARGIN_MS = 60_000;

/**
 * Keeps one value for each set of fields until it expires; concurrent callers share one `load`. Fields are compared by
 * identity: the service makes a new object when they change or were rejected.
 */
export const createMemoByFields = <Value>() => {
  const memo = new WeakMap<CredentialFields, Promise<Expiring<Value>>>();
  return async (
    fields: CredentialFields,
    now: number,
    load: () => Promise<Expiring<Value>>,
  ): Promise<Value> => {
    const known = memo.get(fields);
    const current = await known;
    if (current !== undefined && now + MARGIN_MS < current.expiresAt) return current.value;
    // Another caller may have started to load meanwhile.
    const latest = memo.get(fields);
    if (latest !== known && latest !== undefined) return (await latest).value;
    const loading = load();
    memo.set(fields, loading);
    loading.catch(() => memo.delete(fields));
    return (await loading).value;
  };
};
