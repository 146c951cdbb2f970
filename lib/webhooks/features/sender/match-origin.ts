/** Maximum length of an origin: a host name of up to 253 characters, a scheme and a port. */
const MAX_ORIGIN_LENGTH = 300;

/** What the `*` of `https://*.shop.example` may match: labels of a host name, lower-case as browsers send it. */
const SUBDOMAIN = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;

/**
 * Creates a test for `Origin` headers: equal to one of the origins, compared as text with scheme, host and port; or a
 * subdomain, at any level, of one with a wildcard, such as `https://*.shop.example`. The domain itself does not match
 * the wildcard.
 */
export const toOriginTest = (origins: readonly string[]): ((origin: string) => boolean) => {
  const exact = new Set(origins);
  const wildcards = origins.flatMap((origin) => {
    const [before = '', after] = origin.split('*');
    return after?.startsWith('.') ? [{ before, after }] : [];
  });
  const isBelow = (origin: string) =>
    wildcards.some(
      ({ before, after }) =>
        origin.startsWith(before) &&
        origin.endsWith(after) &&
        SUBDOMAIN.test(origin.slice(before.length, Math.max(before.length, origin.length - after.length))),
    );
  return (origin) => origin.length <= MAX_ORIGIN_LENGTH && (exact.has(origin) || isBelow(origin));
};
