import { createHash } from 'node:crypto';
import { isPlainObject, type JsonObject } from '@hookloom/plugin-kit';
import { toExecutionId } from '../../../executions/deliveries/to-execution-id.ts';
import { tryJson } from '../../../shared/try-json.ts';

interface UploadPlace {
  readonly workflowId: string;
  readonly triggerNodeId: string;
  /** The path within the workflow, as requested. */
  readonly path: string;
}

/**
 * The id of an upload, `executionId.content`: `content` describes the upload as JSON, and `executionId`, of the
 * execution that it starts, is the hash of the content and the webhook. So nothing is stored before the bytes are. The
 * id is neither secret nor signed: an id that this service did not issue names an execution for which no bytes were
 * ever uploaded, since only the service signs upload requests.
 */
export const createUploadId = (place: UploadPlace, content: JsonObject) => {
  const text = Buffer.from(JSON.stringify(content)).toString('base64url');
  const executionId = hashUpload(place, text);
  return { executionId, uploadId: `${executionId}.${text}` };
};

/** A name of 255 characters of three bytes each, a media type of the same length, and the rest. */
const UPLOAD_ID = /^([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]{1,3000})$/;

/**
 * @param uploadId - any string
 * @returns null for anything but an upload id of this webhook; the content is not validated
 */
export const parseUploadId = (
  place: UploadPlace,
  uploadId: string,
): { readonly executionId: string; readonly content: JsonObject } | null => {
  const [, executionId, text] = UPLOAD_ID.exec(uploadId) ?? [];
  if (executionId === undefined || text === undefined || executionId !== hashUpload(place, text)) return null;
  const content = tryJson(Buffer.from(text, 'base64url').toString());
  return isPlainObject(content) ? { executionId, content } : null;
};

/** 43 characters, like the ids of executions started by deliveries with a key, but never equal to one of them. */
const hashUpload = ({ workflowId, triggerNodeId, path }: UploadPlace, text: string): string =>
  toExecutionId(
    createHash('sha256')
      .update(JSON.stringify(['upload', workflowId, triggerNodeId, path, text]))
      .digest('base64url'),
  );
