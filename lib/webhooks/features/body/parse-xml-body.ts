import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { BODY_INVALID, BODY_TOO_DEEP } from '../../../shared/error-catalogue.ts';
import { AppError } from '../../../shared/errors.ts';
import type { BodyParsers } from '../../webhook-feature.ts';
import { decodeText } from './decode-text.ts';

/** How much of a body is searched for an XML declaration; declarations are shorter. */
const DECLARATION_BYTES = 200;

/**
 * Parses XML to an object. The charset comes from the content type, else the byte order mark, else the XML declaration,
 * else it is UTF-8: RFC 7303 §3.
 *
 * @throws AppError `BODY_INVALID` with the line number, `BODY_TOO_DEEP` at the same depth as for JSON,
 *   `BODY_UNSUPPORTED`
 */
export const parseXmlBody = async (
  bytes: Uint8Array,
  charset: string | undefined,
  { xml, maxDepth }: Pick<BodyParsers, 'xml' | 'maxDepth'>,
): Promise<JsonObject> => {
  const text = decodeText(bytes, charset ?? findCharset(bytes));
  const body = await xml(text).catch((error: unknown) => {
    throw error instanceof RangeError ? new AppError(BODY_INVALID, { reason: error.message }) : error;
  });
  if (isDeeper(body, maxDepth)) throw new AppError(BODY_TOO_DEEP, { limit: maxDepth });
  return body;
};

/** Whether a value has more levels of arrays and objects. The parser bounds them, and so this recursion. */
const isDeeper = (value: JsonValue, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)));

const findCharset = (bytes: Uint8Array): string | undefined => {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const head = Buffer.from(bytes.subarray(0, DECLARATION_BYTES)).toString('latin1');
  if (!head.startsWith('<?xml')) return undefined;
  const declaration = head.slice(0, head.indexOf('?>'));
  return /encoding=["']([A-Za-z0-9._-]{1,40})["']/.exec(declaration)?.[1];
};
