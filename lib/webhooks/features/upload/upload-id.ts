import { createHash } from 'node:crypto';
import { isPlainObject, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import { toExecutionId } from '../../../deliveries/to-execution-id.ts';

/** The webhook that an upload is for. */
interface UploadPlace {
  readonly workflowId: string;
  readonly triggerNodeId: string;
  /** Inside the workflow, as requested. */
  readonly path: string;
}

/**
 * The id of an upload, `executionId.content`: what is known of it, as JSON, and the execution that it starts, whose id is the hash
 * of the content and of the webhook. So nothing is stored before the bytes are. It is no secret and not signed: an id that this
 * service has not issued names an execution for which nothing was ever put, since only the service signs requests that put.
 */
export const createUploadId = (place: UploadPlace, content: JsonObject): UploadId => {
  const text = Buffer.from(JSON.stringify(content)).toString('base64url');
  const executionId = hash(place, text);
  return { executionId, uploadId: `${executionId}.${text}` };
};

interface UploadId {
  /** Of the execution that it starts. */
  readonly executionId: string;
  readonly uploadId: string;
}

/** A name of 255 characters, of three bytes each, a media type of as many, and the rest. */
const UPLOAD_ID = /^([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]{1,3000})$/;

/**
 * @param uploadId - any text
 * @returns null for a text that is no id of an upload for this webhook; the content can be any
 */
export const parseUploadId = (
  place: UploadPlace,
  uploadId: string,
): { readonly executionId: string; readonly content: JsonObject } | null => {
  const [, executionId, text] = UPLOAD_ID.exec(uploadId) ?? [];
  if (executionId === undefined || text === undefined || executionId !== hash(place, text)) return null;
  const content = parseJson(Buffer.from(text, 'base64url').toString());
  return isPlainObject(content) ? { executionId, content } : null;
};

/** Undefined for text that is no JSON. */
const parseJson = (text: string): JsonValue | undefined => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** 43 characters, as the ids of executions that deliveries with a key start, and never one of these. */
const hash = ({ workflowId, triggerNodeId, path }: UploadPlace, text: string): string =>
  toExecutionId(
    createHash('sha256')
      .update(JSON.stringify(['upload', workflowId, triggerNodeId, path, text]))
      .digest('base64url'),
  );
