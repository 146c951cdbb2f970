/** Preferences of a caller (RFC 7240). */
interface Preferences {
  /** Whether the caller prefers `respond-async`: an answer at once, without the result. */
  readonly isAsync: boolean;
  /** Seconds that the caller prefers to wait for the result (`wait=N`); null when absent. */
  readonly waitSeconds: number | null;
}

/** Reads the header `Prefer`. Ignores unknown and malformed preferences, as RFC 7240 §2 requires. */
export const readPreferences = (header?: string): Preferences => {
  if (header === undefined) return { isAsync: false, waitSeconds: null };
  const preferences = header.split(',').map((text) => (text.split(';')[0] ?? '').trim().toLowerCase());
  const wait = preferences
    .map((text) => /^wait\s*=\s*"?(\d{1,6})"?$/.exec(text)?.[1])
    .find((seconds) => seconds !== undefined);
  return {
    isAsync: preferences.includes('respond-async'),
    waitSeconds: wait === undefined ? null : Number(wait),
  };
};
