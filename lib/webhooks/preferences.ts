/** What a caller would like (RFC 7240). */
interface Preferences {
  /** `respond-async`: an answer at once rather than a result. */
  readonly isAsync: boolean;
  /** `wait=N`: how many seconds it is willing to wait for a result; null when it does not say. */
  readonly waitSeconds: number | null;
}

/** Reads the header `Prefer`. What is unknown or odd in it is ignored, as RFC 7240 §2 wants it. */
export const readPreferences = (header: string | undefined): Preferences => {
  const wishes = (header ?? '').split(',').map((wish) => (wish.split(';')[0] ?? '').trim().toLowerCase());
  const wait = wishes
    .map((wish) => /^wait\s*=\s*"?(\d{1,6})"?$/.exec(wish)?.[1])
    .find((text) => text !== undefined);
  return {
    isAsync: wishes.includes('respond-async'),
    waitSeconds: wait === undefined ? null : Number(wait),
  };
};
