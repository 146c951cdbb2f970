import { isPlainObject, type JsonObject } from '../../contract/json.ts';
import { REDACTED } from './redact-text.ts';
import { isCredentialHeader } from './secret-names.ts';

/** Shorter parts of a header are as likely to be a word of the text as a secret. */
const MIN_LENGTH = 8;
/** A header with more parts than this is no credential that a client made. */
const MAX_PARTS = 50;

/**
 * A text without the credentials that the request carried: the values of such headers, and their parts (`Bearer x`,
 * `a=x; b=y`), wherever the workflow has put them.
 * @param text JSON
 * @param input what the trigger got
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
  // The longest first: a part may be all that is left of a value otherwise.
  return [...secrets]
    .sort((a, b) => b.length - a.length)
    .reduce((rest, secret) => rest.replaceAll(JSON.stringify(secret).slice(1, -1), REDACTED), text);
};
