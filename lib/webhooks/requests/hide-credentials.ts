import { findCredentials } from '../../executions/record/redact-credentials.ts';
import { REDACTED } from '../../shared/secrets/secret-names.ts';
import type { WebhookRequest } from '../webhook-request.ts';

/** Shorter passwords may be ordinary words in the text. */
const MIN_LENGTH = 8;

/**
 * Creates a function that redacts the credentials of some headers in a text: verbatim, URL-encoded, JSON-escaped, and
 * the password of Basic authentication.
 */
export const hideCredentials = (
  headers: WebhookRequest['headers'],
  isCredential: (name: string) => boolean,
): ((text: string) => string) => {
  const found = findCredentials(headers, isCredential);
  const forms = new Set([...found, ...found.flatMap(readPassword)].flatMap(formsOf));
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
};

const formsOf = (secret: string): readonly string[] => [
  secret,
  // Lone surrogates can't be URL-encoded.
  ...(secret.isWellFormed() ? [encodeURIComponent(secret)] : []),
  JSON.stringify(secret).slice(1, -1),
];

/** The password in the base64 part of `Basic …` (RFC 7617). */
const readPassword = (secret: string): readonly string[] => {
  const login = Buffer.from(secret, 'base64').toString();
  const password = login.slice(login.indexOf(':') + 1);
  return login.includes(':') && password.length >= MIN_LENGTH ? [password] : [];
};
