import { type FileValue, isPlainObject, type JsonObject, SHA256 } from '@hookloom/plugin-kit';
import { nodeKeyOf } from '../../../engine/node-run.ts';
import { parseFileId, toFileId, toFileName, toMediaType } from '../../../executions/files/file-id.ts';
import { BRIEF_DAYS } from '../../../executions/record/blob-store.ts';
import { type Answer, answerJson } from '../../../shared/answer.ts';
import { FILE_TOO_LARGE, UPLOAD_INVALID, UPLOAD_NOT_FOUND } from '../../../shared/error-catalogue.ts';
import { AppError } from '../../../shared/errors.ts';
import { parseUrlEncoded } from '../../parse-url-encoded.ts';
import type { Arrival, FeaturePorts, Stages } from '../../webhook-feature.ts';
import { createUploadId, parseUploadId } from './upload-id.ts';

/** How long the bytes can be uploaded, and how long the run can be started, counted from the upload request. */
const PUT_SECONDS = 3_600;
const START_SECONDS = 86_400;

export const acceptUploads = (rule: FileLimits, ports: FeaturePorts): Stages => ({
  parse: async (arrival) => {
    const uploadId = readUploadId(arrival);
    return uploadId === null || uploadId === '' ? null : openUpload(arrival, uploadId, rule, ports);
  },
  judge: async (parsed) =>
    readUploadId(parsed) === '' ? offerUpload(parsed, parsed.input, rule, ports) : null,
  start: async (starting) => {
    const isUpload = (readUploadId(starting) ?? '') !== '';
    const { executionId, isInline } = starting;
    const life = isInline ? BRIEF_DAYS : null; // for a background run, its end decides how long
    if (isUpload) await ports.openUploads().keep(placeOfUpload(starting, executionId).key, life);
    return null;
  },
});

/**
 * Reads the upload id of a request: null for a request unrelated to uploads, empty for one that requests an upload.
 * @throws AppError `UPLOAD_INVALID`
 */
const readUploadId = ({ request: { method, rawQueryString } }: Arrival): string | null => {
  if (method !== 'POST' || !rawQueryString.includes('upload')) return null;
  const { upload = null } = parseUrlEncoded(rawQueryString);
  if (upload === null || typeof upload === 'string') return upload;
  throw new AppError(UPLOAD_INVALID, { reason: 'the query has several upload ids' });
};

const offerUpload = async (
  arrival: Arrival,
  { body }: JsonObject,
  rule: FileLimits,
  ports: FeaturePorts,
): Promise<Answer> => {
  const store = ports.openUploads();
  const file = readStatement(body, limitRule(rule, store.maxBytes));
  const now = ports.clock.now();
  const expiresAt = now + START_SECONDS * 1_000;
  const { requestId, requestPath } = arrival.request;
  const { executionId, uploadId } = createUploadId(webhookOf(arrival), { ...file, expiresAt, requestId });
  const { key } = placeOfUpload(arrival, executionId);
  const put = store.sign({ key, ...file }, { from: now, seconds: PUT_SECONDS });
  const url = `${encodePath(requestPath)}?upload=${uploadId}`;
  return answerJson(201, {
    uploadId,
    upload: { ...put, expiresAt: new Date(now + PUT_SECONDS * 1_000).toISOString() },
    start: { method: 'POST', url, expiresAt: new Date(expiresAt).toISOString() },
  });
};

/** Encodes a path again, since the gateway has decoded it. Lone surrogates can't be encoded as UTF-8. */
const encodePath = (path: string): string => path.toWellFormed().split('/').map(encodeURIComponent).join('/');

const openUpload = async (arrival: Arrival, uploadId: string, rule: FileLimits, ports: FeaturePorts) => {
  if (arrival.request.rawBody.length > 0)
    throw new AppError(UPLOAD_INVALID, { reason: 'the request that starts the run must not have a body' });
  const known = parseUploadId(webhookOf(arrival), uploadId);
  if (known === null) throw notFound('this webhook did not issue this id');
  const { expiresAt, requestId: _, ...stated } = known.content;
  const store = ports.openUploads();
  const file = readStatement(stated, limitRule(rule, store.maxBytes));
  if (typeof expiresAt !== 'number' || expiresAt <= ports.clock.now()) throw notFound('it has expired');
  const { executionId } = known;
  const { key, id } = placeOfUpload(arrival, executionId);
  if ((await store.findSize(key)) !== file.size) throw notFound('its bytes have not been uploaded');
  return { body: { $file: id, ...file }, executionId };
};

const notFound = (reason: string): AppError => new AppError(UPLOAD_NOT_FOUND, { reason });

const limitRule = (rule: FileLimits, limitBytes: number): FileLimits => ({
  ...rule,
  maxBytes: Math.min(rule.maxBytes, limitBytes),
});

const webhookOf = ({ request, webhook: { workflow, config } }: Arrival) => ({
  workflowId: workflow.definition.id,
  triggerNodeId: config.triggerNodeId,
  path: request.path,
});

/** The file belongs to the trigger in the execution that it starts, so it need not be copied. */
const placeOfUpload = ({ webhook: { config } }: Arrival, executionId: string) => {
  const nodeKey = nodeKeyOf({ nodeId: config.triggerNodeId, iteration: 0 });
  const id = toFileId({ executionId, nodeKey, number: 1 });
  const key = parseFileId(id)?.blobKey;
  if (key === undefined) throw new Error(`"${id}" is not a file id`);
  return { id, key };
};

export interface FileLimits {
  readonly maxBytes: number;
  /** The accepted media types, in lower case; all if absent. */
  readonly mediaTypes?: readonly string[];
}

/** What a caller declares about a file before uploading it: the fields of its value. */
type Statement = Pick<FileValue, 'name' | 'mediaType' | 'size' | 'sha256'>;

const KEYS = ['name', 'mediaType', 'size', 'sha256'];

/**
 * Reads what a caller declares about a file, and nothing beyond the fields of its value.
 *
 * @param value - parsed JSON
 * @throws AppError `UPLOAD_INVALID` | `FILE_TOO_LARGE`
 */
export const readStatement = (value: unknown, { maxBytes, mediaTypes }: FileLimits): Statement => {
  if (!isPlainObject(value)) return refuseUpload('the body must be a JSON object with size and sha256');
  const { name = 'file', mediaType = 'application/octet-stream', size, sha256 } = value;
  if (Object.keys(value).some((key) => !KEYS.includes(key)))
    refuseUpload(`it may only have ${KEYS.join(', ')}`);
  if (typeof name !== 'string' || toFileName(name) !== name)
    return refuseUpload('name must be a file name without folders, of at most 255 characters');
  if (typeof mediaType !== 'string' || toMediaType(mediaType) !== mediaType)
    return refuseUpload('mediaType must be a media type, such as text/csv');
  if (mediaTypes?.some(isOneOf(mediaType)) === false)
    refuseUpload(`mediaType must be one of ${mediaTypes.join(', ')}`);
  if (typeof sha256 !== 'string' || !SHA256.test(sha256))
    return refuseUpload('sha256 must be the hash of the bytes: 64 lower-case hexadecimal digits');
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0)
    return refuseUpload('size must be the number of bytes');
  if (size > maxBytes) throw new AppError(FILE_TOO_LARGE, { name, limitBytes: maxBytes });
  return { name, mediaType, size, sha256 };
};

/** Tests a media type by type and subtype; `image/*` matches all images. */
const isOneOf = (mediaType: string) => {
  const [essence = ''] = mediaType.toLowerCase().split(';', 1);
  return (taken: string): boolean =>
    taken.endsWith('/*') ? essence.startsWith(taken.slice(0, -1)) : essence.trim() === taken;
};

const refuseUpload = (reason: string): never => {
  throw new AppError(UPLOAD_INVALID, { reason });
};
