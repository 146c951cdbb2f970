import { isPlainObject, type JsonObject } from '@hookloom/plugin-kit';
import { isCredentialHeader, REDACTED } from '../../shared/secrets/secret-names.ts';

/** Shorter parts of a header may be ordinary words. */
const MIN_LENGTH = 8;
/** Limit of the parts searched in a text; credentials have fewer. */
const MAX_PARTS = 50;

/**
 * Redacts a request's credentials in a text: see {@link findCredentials}.
 * @param text - JSON
 */
export const redactCredentials = (text: string, { headers }: JsonObject): string =>
  isPlainObject(headers)
    ? findCredentials(headers).reduce(
        (rest, secret) => rest.replaceAll(JSON.stringify(secret).slice(1, -1), REDACTED),
        text,
      )
    : text;

/**
 * Finds the credentials in headers: whole values and their parts (`Bearer x`, `a=x; b=y`). Longest first, since
 * replacing a part would leave the rest of a value.
 */
export const findCredentials = (
  headers: Readonly<Record<string, unknown>>,
  isCredential: (name: string) => boolean = isCredentialHeader,
): readonly string[] => {
  const secrets = new Set(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' && value !== REDACTED && isCredential(name)
        ? [value, ...value.split(/[\s;,=]/, MAX_PARTS)].filter(({ length }) => length >= MIN_LENGTH)
        : [],
    ),
  );
  return [...secrets].sort((a, b) => b.length - a.length);
};
