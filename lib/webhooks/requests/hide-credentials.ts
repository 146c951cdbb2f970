import { findCredentials } from '../../executions/record/redact-credentials.ts';
import { REDACTED } from '../../shared/secrets/secret-names.ts';
import type { WebhookRequest } from '../webhook-request.ts';

/** Shorter passwords may be ordinary words of the text. */
const MIN_LENGTH = 8;

/**
 * Creates a function that redacts the credentials of some headers in a text: as they are, in a URL, in JSON, and the password of a
 * basic one.
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
  // A lone surrogate has no form in a URL.
  ...(secret.isWellFormed() ? [encodeURIComponent(secret)] : []),
  JSON.stringify(secret).slice(1, -1),
];

/** Of the part of `Basic …` that is base64 (RFC 7617). */
const readPassword = (secret: string): readonly string[] => {
  const login = Buffer.from(secret, 'base64').toString();
  const password = login.slice(login.indexOf(':') + 1);
  return login.includes(':') && password.length >= MIN_LENGTH ? [password] : [];
};
