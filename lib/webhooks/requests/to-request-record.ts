import { isPlainObject, type JsonValue, parseJson } from '@hookloom/plugin-kit';
import { findCredentials } from '../../executions/record/redact-credentials.ts';
import { redactText } from '../../shared/secrets/redact-text.ts';
import { isCredentialHeader, isSecretValue, placeIn, REDACTED } from '../../shared/secrets/secret-names.ts';
import { findDeliveryKey } from '../delivery-key.ts';
import { decodeUtf8, parseBody } from '../parse-body.ts';
import { toTriggerInput } from '../request-scope.ts';
import type { Webhook, WebhookRequest } from '../webhook.ts';
import { fitRequest } from './fit-request.ts';
import type { RequestOutcome } from './request-outcome.ts';
import type { RequestRecord } from './request-record.ts';

/** Limits of what is searched for secrets; far beyond what real senders need. */
const MAX_HEADERS = 100;
const MAX_TEXT = 4_000;

const NO_ADDRESS = 'a secret was removed from its address, or it is too long';
const NO_HEADERS = 'a secret was removed from its headers, or they are too long';
const NO_CREDENTIAL = 'a credential from its headers was also removed from its body';

/**
 * Converts a request to its record: truncated, and without secrets. Headers with credentials are redacted, even those
 * that the workflow reads, and their values are redacted everywhere else too; so are values in query and body whose
 * names suggest a secret.
 *
 * @param limitBytes - see `fitRequest`
 */
export const toRequestRecord = async (
  outcome: RequestOutcome,
  limitBytes: number,
): Promise<Omit<RequestRecord, 'place'>> => {
  const { request, webhook, secretHeaders, verdict, executionId, refusal } = outcome;
  const { workflowId, requestId, receivedAt, remoteAddress: sender, method } = request;
  const isCredential = (name: string) => isCredentialHeader(name) || secretHeaders.includes(name);
  const headers = Object.fromEntries(Object.entries(request.headers).slice(0, MAX_HEADERS));
  const hide = hideCredentials(headers, isCredential);

  const isKeyUnknown = outcome.key === undefined && webhook !== null;
  const key = isKeyUnknown ? await findKey(request, webhook) : (outcome.key ?? null);
  const path = redactText(hide(request.path.slice(0, MAX_TEXT)));
  const query = redactText(hide(request.rawQueryString.slice(0, MAX_TEXT)), MAX_TEXT, 'query');
  const keptHeaders = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      isCredential(name) ? REDACTED : redactText(hide(value.slice(0, MAX_TEXT))),
    ]),
  );
  const kept = keepBody(request);
  const body = hide(kept.body);
  const isAddressKept = path === request.path && query === request.rawQueryString;
  const areHeadersKept = Object.entries(request.headers).every(
    ([name, value]) => isCredential(name) || keptHeaders[name] === value,
  );
  const record = {
    workflowId,
    requestId,
    receivedAt,
    sender,
    method,
    path,
    query,
    headers: keptHeaders,
    body,
    bodyBytes: kept.bodyBytes,
    missing:
      kept.missing ??
      (isAddressKept ? null : NO_ADDRESS) ??
      (areHeadersKept ? null : NO_HEADERS) ??
      (body === kept.body ? null : NO_CREDENTIAL),
    key: key === null ? null : redactText(hide(key.slice(0, MAX_TEXT))),
    verdict,
    executionId,
    refusal,
  };
  return fitRequest(record, limitBytes);
};

/**
 * The key of a delivery that was refused before its key was determined, so that it can be found by its key. An
 * unreadable body counts as empty.
 *
 * @returns null without a key
 */
const findKey = async (request: WebhookRequest, webhook: Webhook): Promise<string | null> => {
  const { headers, rawBody, receivedAt } = request;
  const body = rawBody.length <= MAX_BODY_BYTES ? readRecordedBody(request) : {};
  const input = toTriggerInput({ request, webhook }, headers, body);
  return findDeliveryKey(webhook, input, receivedAt);
};

const readRecordedBody = (request: WebhookRequest): JsonValue => {
  try {
    return parseBody(request, parseJson);
  } catch {
    return {};
  }
};

/** Shorter passwords may be ordinary words in the text. */
const MIN_LENGTH = 8;

/**
 * Creates a function that redacts the credentials of some headers in a text: verbatim, URL-encoded, JSON-escaped, and
 * the password of Basic authentication.
 */
const hideCredentials = (
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

type KeptBody = Pick<RequestRecord, 'body' | 'bodyBytes' | 'missing'>;

/** Maximum length of a recorded body; of longer ones, only the start is kept. */
const MAX_BODY_BYTES = 64 * 1_024;

/** How much of a longer body is kept. */
const START_BYTES = 2_000;
/** How many characters beyond the cut are scanned, to find secrets that it would split. */
const MORE_BYTES = 1_000;

const MAX_DEPTH = 100;

const TOO_LONG = 'its body is too long to be stored in full';
const NO_TEXT = 'its body is not stored: it is not text, or secrets in it could not be found by name';
const HAD_SECRET = 'a secret was removed from its body';

/**
 * The storable body of a request: text without values whose names suggest a secret. Bodies in which names can't be
 * found are not stored at all: binary, compressed and multipart ones.
 */
const keepBody = ({ rawBody, headers }: Pick<WebhookRequest, 'rawBody' | 'headers'>): KeptBody => {
  const bodyBytes = rawBody.length;
  const isLong = bodyBytes > MAX_BODY_BYTES;
  const isEncoded = !['', 'identity'].includes((headers['content-encoding'] ?? '').trim().toLowerCase());
  const isMultipart = (headers['content-type'] ?? '').toLowerCase().includes('multipart/');
  const text =
    isEncoded || isMultipart
      ? null
      : decodeUtf8(isLong ? rawBody.subarray(0, START_BYTES + MORE_BYTES) : rawBody, {
          keepsMark: true,
          isCut: isLong,
        });
  if (text === null) return { body: '', bodyBytes, missing: NO_TEXT };
  const body = isLong ? redactText(text, START_BYTES) : redactText(redactJson(text));
  const missing = isLong ? TOO_LONG : body === text ? null : HAD_SECRET;
  return { body, bodyBytes, missing };
};

/** Redacts the secrets in JSON text, however they are escaped; unchanged if there are none or it is not JSON. */
const redactJson = (text: string): string => {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    const value = parseJson(text);
    const redacted = redactValue(value, MAX_DEPTH);
    return redacted === value ? text : JSON.stringify(redacted);
  } catch {
    return text;
  }
};

/**
 * Redacts the secrets in a value: returns the same value if it contains no secret; anything nested deeper than `depth`
 * is redacted.
 */
const redactValue = (value: JsonValue, depth: number, key = ''): JsonValue => {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return REDACTED;
  if (Array.isArray(value)) {
    const items = value.map((item: JsonValue) => redactValue(item, depth - 1));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  if (!isPlainObject(value)) return value;
  const place = placeIn(key);
  const entries = Object.entries(value).map(([name, item]): [string, JsonValue] => [
    name,
    isSecretValue(name, item, place) ? REDACTED : redactValue(item as JsonValue, depth - 1, name),
  ]);
  return entries.every(([name, item]) => item === value[name]) ? value : Object.fromEntries(entries);
};
