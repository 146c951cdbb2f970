/** The forms in which a secret is searched for, made by other means than the scrubber's. */
export const formsOf = (secret: string): Record<string, string> => {
  const url = encodeURIComponent(secret);
  return {
    raw: secret,
    ...Object.fromEntries(
      [0, 1, 2].flatMap((before) =>
        (['base64', 'base64url'] as const).map((encoding) => [
          `${encoding} after ${before} bytes`,
          Buffer.from(`${'x'.repeat(before)}${secret}`).toString(encoding),
        ]),
      ),
    ),
    'in a path': url,
    'in a path, lower case': url.replace(/%../g, (escaped) => escaped.toLowerCase()),
    'in a form': new URLSearchParams({ a: secret }).toString().slice(2),
    'in JSON': JSON.stringify(secret).slice(1, -1),
    'in JSON in JSON': JSON.stringify(JSON.stringify(secret)).slice(3, -3),
    'in JSON, with slashes escaped': JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
    'in JSON, all escaped': secret.replaceAll(
      /./gsu,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
    'in HTML': secret.replaceAll(/["&<>]/g, (sign) => `&#x${sign.charCodeAt(0).toString(16)};`),
    'in HTML, by name': secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
    'in hexadecimal digits': Buffer.from(secret).toString('hex'),
    'in a path, twice': encodeURIComponent(url),
    'in UTF-8 read as Latin-1': Buffer.from(secret).toString('latin1'),
    'in base64, twice': btoa(Buffer.from(secret).toString('base64')),
  };
};

/** The forms of some secrets that a text has: none, unless one leaked. In base64, only what the secret alone decides. */
export const findSecrets = (text: string, secrets: readonly string[]): string[] =>
  secrets.flatMap((secret) =>
    Object.entries(formsOf(secret))
      .map(([form, value]) => [form, form.includes('base64') ? value.slice(4, -4) : value] as const)
      .filter(([, value]) => text.includes(value))
      .map(([form]) => `${secret.slice(0, 4)}… ${form}`),
  );
