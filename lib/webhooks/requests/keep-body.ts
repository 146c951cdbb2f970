import { isPlainObject, type JsonValue } from '@hookloom/plugin-kit';
import { redactText } from '../../shared/secrets/redact-text.ts';
import { isSecretValue, placeIn, REDACTED } from '../../shared/secrets/secret-names.ts';
import type { WebhookRequest } from '../webhook-request.ts';
import type { RequestRecord } from './request-record.ts';

type KeptBody = Pick<RequestRecord, 'body' | 'bodyBytes' | 'missing'>;

/** Of longer bodies, only the start is kept. */
export const MAX_BODY_BYTES = 64 * 1_024;

/** Kept of a longer body. */
const START_BYTES = 2_000;
/** Scanned beyond the cut, to find secrets that it would split. */
const MORE_BYTES = 1_000;

const MAX_DEPTH = 100;

const TOO_LONG = 'its body is too long to be stored in full';
const NO_TEXT = 'its body is not stored: it is not text, or secrets in it could not be found by name';
const HAD_SECRET = 'a secret was removed from its body';

/**
 * The storable body of a request: text without values whose names suggest a secret. Bodies in which names can't be
 * found are not stored at all: binary, compressed and multipart ones.
 */
export const keepBody = ({ rawBody, headers }: Pick<WebhookRequest, 'rawBody' | 'headers'>): KeptBody => {
  const bodyBytes = rawBody.length;
  const isLong = bodyBytes > MAX_BODY_BYTES;
  const isEncoded = !['', 'identity'].includes((headers['content-encoding'] ?? '').trim().toLowerCase());
  const isMultipart = (headers['content-type'] ?? '').toLowerCase().includes('multipart/');
  const text =
    isEncoded || isMultipart
      ? null
      : decode(isLong ? rawBody.subarray(0, START_BYTES + MORE_BYTES) : rawBody, isLong);
  if (text === null) return { body: '', bodyBytes, missing: NO_TEXT };
  const body = isLong ? redactText(text, START_BYTES) : redactText(redactJson(text));
  const missing = isLong ? TOO_LONG : body === text ? null : HAD_SECRET;
  return { body, bodyBytes, missing };
};

/** Null for bytes that are not UTF-8. @param isCut - the bytes may end within a character */
const decode = (bytes: Uint8Array, isCut: boolean): string | null => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isCut });
  } catch {
    return null;
  }
};

/** JSON text without secrets, however they are escaped; unchanged if there are none or it is not JSON. */
const redactJson = (text: string): string => {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    const value: JsonValue = JSON.parse(text);
    const redacted = redactValue(value, MAX_DEPTH);
    return redacted === value ? text : JSON.stringify(redacted);
  } catch {
    return text;
  }
};

/** The same value if it contains no secret; anything nested deeper than `depth` is redacted. */
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
