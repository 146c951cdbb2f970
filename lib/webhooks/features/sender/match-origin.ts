/** More than any origin takes: 253 characters of a host name, a scheme, a port. */
const MAX_ORIGIN_LENGTH = 300;

/** What may stand for the `*` of `https://*.shop.example`: labels of a host name, lower case as browsers send it. */
const SUBDOMAIN = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;

/**
 * Creates the test of an `Origin` header: one of the origins, compared as text with scheme, host and port; or below one
 * with a wildcard, such as `https://*.shop.example`, by one label or more. The domain itself is not below.
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
