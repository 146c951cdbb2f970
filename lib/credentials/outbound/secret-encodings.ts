/** The minimum length of a secret: shorter ones would match ordinary text. */
export const MIN_SECRET_LENGTH = 6;

/** Lines of a multi-line secret, such as a PEM key, count as secrets from this length on. */
const MIN_LINE_LENGTH = 24;

/**
 * The forms that a secret may take in a decoded text: the secret itself, its long lines, and, if it has non-ASCII
 * characters, the results of decoding their bytes wrongly: UTF-8 read as Latin-1 or Windows-1252, once or twice, and
 * bytes that are not UTF-8.
 */
export const readingsOf = (secret: string): readonly string[] => {
  const lines = secret.split(/\r?\n/).filter((line) => line.length >= MIN_LINE_LENGTH);
  return [...new Set([secret, ...lines].flatMap((text) => [text, ...misreadSecret(text)]))];
};

const misreadSecret = (text: string): readonly string[] => {
  if (!/[^\0-\x7f]/.test(text)) return [];
  const latin = toBytes(text);
  const windows = decodeWindows1252(latin);
  const all = [latin, windows, toBytes(latin), toBytes(windows), decodeWindows1252(toBytes(windows))];
  return [...all, text.replaceAll(/[^\0-\x7f]/g, '\ufffd'), text.replaceAll(/[^\0-\x7f]/g, '?')];
};

/** Encodes a text as UTF-8, with each byte as the character of the same code, which is Latin-1. */
const toBytes = (text: string): string => {
  let bytes = '';
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return bytes;
};

const decodeWindows1252 = (bytes: string): string =>
  new TextDecoder('windows-1252').decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
