/** Secrets have this length at least: a shorter one would be found in ordinary text. */
export const MIN_SECRET_LENGTH = 6;

/** Lines of a secret such as a PEM key count as secrets when they have this length. */
const MIN_LINE_LENGTH = 24;

/**
 * The forms in which a secret may stand in a text: raw, base64 and base64url at the three alignments to a group of
 * bytes, URL-encoded, JSON-escaped up to twice; and the lines of a text of several lines.
 */
export const encodingsOf = (secret: string): Set<string> => {
  const lines = secret.split(/\r?\n/).filter((line) => line.length >= MIN_LINE_LENGTH && line !== secret);
  return new Set([secret, ...lines].flatMap(encode));
};

const encode = (text: string): string[] => {
  const bytes = new TextEncoder().encode(text);
  const base64 = [0, 1, 2].map((offset) => toFragment(bytes, offset));
  const base64Url = base64.map((fragment) => fragment.replaceAll('+', '-').replaceAll('/', '_'));
  const escaped = escapeJson(text);
  const url = [...encodeUrl(text), ...base64.flatMap(encodeUrl)];
  return [text, ...base64, ...base64Url, ...url, escaped, escapeJson(escaped), escapeAscii(escaped)];
};

/** The characters of base64 (RFC 4648 §4) that the bytes alone decide, `offset` bytes after the start of a group. */
const toFragment = (bytes: Uint8Array, offset: number): string => {
  let binary = '\0'.repeat(offset);
  for (const byte of bytes) binary += String.fromCharCode(byte);
  const bits = binary.length * 8;
  return btoa(binary).slice(Math.ceil((offset * 8) / 6), Math.floor(bits / 6));
};

/** As in a path, and as in a form; with hexadecimal digits of either case. */
const encodeUrl = (text: string): string[] => {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  const component = encodeURIComponent(whole);
  const strict = component.replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const form = new URLSearchParams({ '': whole }).toString().slice(1);
  return [component, strict, form].flatMap((encoded) => [
    encoded,
    encoded.replace(/%[0-9A-F]{2}/g, (triplet) => triplet.toLowerCase()),
  ]);
};

const escapeJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** As serializers do that write ASCII alone. */
const escapeAscii = (escaped: string): string =>
  escaped.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
