import { isPlainObject, type JsonObject } from '../../contract/json.ts';
import { REDACTED } from './redact-text.ts';
import { isCredentialHeader } from './secret-names.ts';

/** Shorter parts of a header may be ordinary words of the text. */
const MIN_LENGTH = 8;
/** No credential has more parts. */
const MAX_PARTS = 50;

/**
 * Redacts the credentials of a request in a text: the values of credential headers, and their parts (`Bearer x`,
 * `a=x; b=y`).
 *
 * @param text - JSON
 */
export const redactCredentials = (text: string, { headers }: JsonObject): string => {
  if (!isPlainObject(headers)) return text;
  const secrets = new Set(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' && value !== REDACTED && isCredentialHeader(name)
        ? [value, ...value.split(/[\s;,=]/, MAX_PARTS)].filter(({ length }) => length >= MIN_LENGTH)
        : [],
    ),
  );
  // The longest first, since replacing a part would leave the rest of a value.
  return [...secrets]
    .sort((a, b) => b.length - a.length)
    .reduce((rest, secret) => rest.replaceAll(JSON.stringify(secret).slice(1, -1), REDACTED), text);
};
