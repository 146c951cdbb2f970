import type { JsonObject } from '@hookloom/plugin-kit';
import { nodeKeyOf } from '../../../engine/result.ts';
import { parseFileId, toFileId } from '../../../executions/files/file-id.ts';
import { BRIEF_DAYS } from '../../../executions/record/blob-store.ts';
import { type Answer, answerJson } from '../../../shared/answer.ts';
import { UPLOAD_INVALID, UPLOAD_NOT_FOUND } from '../../../shared/error-catalogue.ts';
import { AppError } from '../../../shared/errors.ts';
import { parseUrlEncoded } from '../../parse-url-encoded.ts';
import type { Arrival, FeaturePorts, Stages } from '../../webhook-feature.ts';
import { type FileLimits, readStatement } from './read-statement.ts';
import { createUploadId, parseUploadId } from './upload-id.ts';

/** How long the bytes can be uploaded, and how long the run can be started, counted from the upload request. */
const PUT_SECONDS = 3_600;
const START_SECONDS = 86_400;

/**
 * Accepts a file that is too large for a request. `POST …?upload` describes the file and returns where to upload it;
 * `POST …?upload=ID` starts the run with it, once. Both pass all checks of the webhook.
 */
export const acceptUploads = (rule: FileLimits, ports: FeaturePorts): Stages => {
  return {
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
      if (isUpload) await ports.openUploads().keep(placeOf(starting, executionId).key, life);
      return null;
    },
  };
};

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
  const { key } = placeOf(arrival, executionId);
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
  const { key, id } = placeOf(arrival, executionId);
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
const placeOf = ({ webhook: { config } }: Arrival, executionId: string) => {
  const nodeKey = nodeKeyOf({ nodeId: config.triggerNodeId, iteration: 0 });
  const id = toFileId({ executionId, nodeKey, number: 1 });
  const key = parseFileId(id)?.blobKey;
  if (key === undefined) throw new Error(`"${id}" is not a file id`);
  return { id, key };
};
