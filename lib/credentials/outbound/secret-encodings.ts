/** Secrets have this length at least: a shorter one would be found in ordinary text. */
export const MIN_SECRET_LENGTH = 6;

/** Lines of a secret such as a PEM key count as secrets when they have this length. */
const MIN_LINE_LENGTH = 24;

/**
 * What decoding a text may give for a secret: the secret, the long lines of one of several, and where it has characters beyond
 * ASCII, what misreading their bytes makes of them: UTF-8 as Latin-1 or Windows-1252, once and twice, and bytes that are no UTF-8.
 */
export const readingsOf = (secret: string): readonly string[] => {
  const lines = secret.split(/\r?\n/).filter((line) => line.length >= MIN_LINE_LENGTH && line !== secret);
  return [...new Set([secret, ...lines].flatMap((text) => [text, ...misread(text)]))];
};

const misread = (text: string): readonly string[] => {
  if (!/[^\0-\x7f]/.test(text)) return [];
  const latin = toBytes(text);
  const windows = decode(latin);
  const all = [latin, windows, toBytes(latin), toBytes(windows), decode(toBytes(windows))];
  return [...all, text.replaceAll(/[^\0-\x7f]/g, '\ufffd'), text.replaceAll(/[^\0-\x7f]/g, '?')];
};

/** UTF-8, each byte as the character of its number, which is Latin-1. */
const toBytes = (text: string): string => {
  let bytes = '';
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return bytes;
};

const decode = (bytes: string): string =>
  new TextDecoder('windows-1252').decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
