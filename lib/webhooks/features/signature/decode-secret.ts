/** The bytes of a secret. @throws Error when it is not in that encoding */
export const decodeSecret = (secret: string, encoding: 'text' | 'hex' | 'base64' = 'text'): Buffer => {
  if (encoding === 'text') return Buffer.from(secret);
  const bytes = Buffer.from(secret, encoding);
  // Node's decoder stops at, or skips, what is not of the encoding.
  const expected = encoding === 'hex' ? secret.length / 2 : Math.floor((unpadded(secret).length * 3) / 4);
  if (bytes.length === 0 || bytes.length !== expected) throw new Error(`the secret is not ${encoding}`);
  return bytes;
};

const unpadded = (secret: string): string => {
  const end = secret.indexOf('=');
  return end < 0 ? secret : secret.slice(0, end);
};
