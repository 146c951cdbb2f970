import { createHash } from 'node:crypto';

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
export const createUploadId = (place: UploadPlace, content: unknown): UploadId => {
  const text = Buffer.from(JSON.stringify(content)).toString('base64url');
  const executionId = hash(place, text);
  return { executionId, uploadId: `${executionId}.${text}` };
};

interface UploadId {
  /** Of the execution that it starts. */
  readonly executionId: string;
  readonly uploadId: string;
}

/** A name of 255 characters, each six in JSON, and the rest. */
const UPLOAD_ID = /^([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]{1,3000})$/;

/**
 * @param uploadId - any text
 * @returns null for a text that is no id of an upload for this webhook; the content can be any JSON
 */
export const parseUploadId = (
  place: UploadPlace,
  uploadId: string,
): { readonly executionId: string; readonly content: unknown } | null => {
  const [, executionId, text] = UPLOAD_ID.exec(uploadId) ?? [];
  if (executionId === undefined || text === undefined || executionId !== hash(place, text)) return null;
  try {
    return { executionId, content: JSON.parse(Buffer.from(text, 'base64url').toString()) };
  } catch {
    return null;
  }
};

/** 43 characters, as the ids of executions that deliveries with a key start, and never one of these. */
const hash = ({ workflowId, triggerNodeId, path }: UploadPlace, text: string): string =>
  createHash('sha256')
    .update(JSON.stringify(['upload', workflowId, triggerNodeId, path, text]))
    .digest('base64url');
