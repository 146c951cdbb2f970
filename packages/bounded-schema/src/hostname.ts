import { domainToASCII, domainToUnicode } from 'node:url';

/** Letters, digits and hyphens: RFC 1123 §2.1. */
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
const MAX_LENGTH = 253;

/**
 * The JSON Schema format `hostname`: a name that follows RFC 1123 and whose `xn--…` labels follow RFC 5890.
 * `domainToUnicode` rejects what UTS 46 rejects; RFC 5892 rejects more.
 */
export const isHostname = (text: string): boolean =>
  text.length <= MAX_LENGTH &&
  text.split('.').every((label) => LABEL.test(label) && isAllowed(label.toLowerCase()));

const isAllowed = (label: string): boolean => {
  if (!label.startsWith('xn--')) return true;
  const decoded = domainToUnicode(label);
  const isCanonical = decoded !== '' && decoded !== label && domainToASCII(decoded) === label;
  if (!isCanonical || DISALLOWED.test(decoded) || RESERVED.test(decoded)) return false;
  return (
    !LONELY.some((pattern) => pattern.test(decoded)) && (KANA_OR_HAN.test(decoded) || !KANA_DOT.test(decoded))
  );
};

/** Characters that are exceptions of RFC 5892 §2.6. */
const DISALLOWED = /[\u0640\u07fa\u302e\u302f\u3031-\u3035\u303b]/;
/** Labels that are reserved by RFC 5890 §2.3.1. */
const RESERVED = /^..--/u;
/** Characters that lack the neighbours required by RFC 5892, appendix A: MIDDLE DOT, KERAIA, GERESH and GERSHAYIM. */
const LONELY = [
  /(?:^|[^l])\u00b7/,
  /\u00b7(?:$|[^l])/,
  /\u0375(?:$|\P{Script=Greek})/u,
  /(?:^|\P{Script=Hebrew})[\u05f3\u05f4]/u,
];
/** KATAKANA MIDDLE DOT: allowed only in labels that contain kana or Han. */
const KANA_DOT = /\u30fb/;
const KANA_OR_HAN = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u;
