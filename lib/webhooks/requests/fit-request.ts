import { deflateRawSync } from 'node:zlib';
import type { RequestRecord } from './request-record.ts';

type Content = Omit<RequestRecord, 'place'>;

/** Size in bytes below which records are stored uncompressed. */
const COMPRESSED_FROM = 500;

/** Stored size of a record in bytes, without its key. */
const sizeOfRecord = (record: object): number => {
  const text = JSON.stringify(record);
  return text.length < COMPRESSED_FROM ? Buffer.byteLength(text) : deflateRawSync(text).length;
};

const MISSING_BODY = 'its body is too long to be stored in full';
const MISSING_HEADERS = 'its headers are too long to be stored in full';
const MISSING_ADDRESS = 'its address is too long to be stored in full';

/**
 * Truncates a record until it fits: first its body, then its headers, then the address.
 *
 * @param limitBytes - see {@link sizeOfRecord}; at least 500
 */
export const fitRequest = (record: Content, limitBytes: number): Content => {
  let fitted = record;
  for (const cut of cuts) {
    if (sizeOfRecord(fitted) <= limitBytes) break;
    fitted = cut(fitted);
  }
  return fitted;
};

const cutBody =
  (length: number) =>
  (record: Content): Content =>
    record.body.length <= length
      ? record
      : { ...record, body: record.body.slice(0, length), missing: record.missing ?? MISSING_BODY };

const cutHeaders =
  (count: number, length: number) =>
  (record: Content): Content => ({
    ...record,
    headers: Object.fromEntries(
      Object.entries(record.headers)
        .slice(0, count)
        .map(([name, value]) => [name.slice(0, length), value.slice(0, length)]),
    ),
    missing: record.missing ?? MISSING_HEADERS,
  });

const cutTexts =
  (length: number) =>
  (record: Content): Content => ({
    ...record,
    path: record.path.slice(0, length),
    query: record.query.slice(0, length),
    key: record.key?.slice(0, length) ?? null,
    requestId: record.requestId.slice(0, length),
    method: record.method.slice(0, length),
    refusal:
      record.refusal === null
        ? null
        : {
            code: record.refusal.code,
            detail: record.refusal.detail.slice(0, 2 * length),
            reason: record.refusal.reason?.slice(0, 2 * length) ?? null,
          },
    missing: record.missing ?? MISSING_ADDRESS,
  });

/** The cuts, in order; after the last one, even an incompressible record has about 500 bytes. */
const cuts: readonly ((record: Content) => Content)[] = [
  ...[4_000, 2_000, 1_000, 700, 500, 300, 200].map(cutBody),
  cutHeaders(30, 80),
  cutBody(100),
  cutHeaders(12, 40),
  cutTexts(120),
  cutBody(20),
  cutHeaders(0, 0),
  cutTexts(30),
  cutBody(0),
];
