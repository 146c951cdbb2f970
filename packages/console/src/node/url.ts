import { toUnicode } from 'punycode.js/punycode.es6.js';

/** `domainToASCII` of `node:url`: empty for an invalid name. */
export const domainToASCII = (domain: string): string =>
  URL.canParse(`ws://${domain}`) ? new URL(`ws://${domain}`).hostname : '';

/** `domainToUnicode` of `node:url`: empty for an invalid name. */
export const domainToUnicode = (domain: string): string => {
  const name = domainToASCII(domain);
  try {
    return toUnicode(name);
  } catch {
    return ''; // a RangeError: not Punycode (RFC 3492)
  }
};
