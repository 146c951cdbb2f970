import {
  fromAttempt,
  isFileValue,
  isPassing,
  type JsonObject,
  type NodeContext,
  NodeError,
  type OutboundRequest,
  toStatusError,
  wrongParameter,
} from '@hookloom/plugin-kit';
import { streamFile } from '../http-request/file-body.ts';
import { callSlack } from './call-slack.ts';

interface Upload {
  readonly baseUrl: string;
  readonly file?: JsonObject;
  readonly text?: string;
  readonly name?: string;
  readonly title?: string;
  readonly channel?: string;
  readonly comment?: string;
  readonly threadTs?: string;
}

interface Content {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly body: () => Pick<OutboundRequest, 'body' | 'bodyBytes'>;
}

/**
 * Uploads a file in the three steps of Slack: an address for it, its bytes, and where it is shared. Another attempt
 * begins with an address of its own; a file that was not shared is removed by Slack.
 */
export const uploadFile = async (upload: Upload, context: NodeContext): Promise<JsonObject> => {
  const { baseUrl, channel, comment, threadTs } = upload;
  const content = toContent(upload, context);
  const { title = content.name } = upload;
  const { upload_url, file_id } = await callSlack(
    {
      baseUrl,
      method: 'files.getUploadURLExternal',
      query: { filename: content.name, length: content.size },
    },
    context,
  );
  if (typeof upload_url !== 'string' || typeof file_id !== 'string')
    throw new NodeError(
      'Slack has given no address for the upload: check that baseUrl is that of the Web API',
      {
        isRetryable: false,
      },
    );
  await sendContent(upload_url, content, context);
  await callSlack(
    {
      baseUrl,
      method: 'files.completeUploadExternal',
      body: {
        files: [{ id: file_id, title }],
        ...(channel === undefined ? {} : { channel_id: channel }),
        ...(comment === undefined ? {} : { initial_comment: comment }),
        ...(threadTs === undefined ? {} : { thread_ts: threadTs }),
      },
    },
    context,
  );
  return { fileId: file_id, title };
};

const toContent = ({ file, text, name }: Upload, { services }: NodeContext): Content => {
  if (file !== undefined) {
    if (!isFileValue(file)) throw wrongParameter('file', 'a file', file);
    return {
      name: name ?? file.name,
      size: file.size,
      body: () => ({ body: streamFile(file, services.files), bodyBytes: file.size }),
    };
  }
  if (text === undefined) throw wrongParameter('file', 'a file, or text must be given', file);
  if (name === undefined) throw wrongParameter('name', 'a string when text is given', name);
  const body = Buffer.from(text);
  return { name, size: body.byteLength, body: () => ({ body }) };
};

/** The address is a secret of its own: it is called without the credential. */
const sendContent = async (url: string, content: Content, context: NodeContext): Promise<void> => {
  const { credential: _, ...limits } = fromAttempt(context);
  const response = await context.services.http.request({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/octet-stream' },
    ...content.body(),
    ...limits,
    maxRedirects: 0,
    maxResponseBytes: 65_536,
  });
  if (response.status === 200) return;
  throw toStatusError(response, {
    isRetryable: isPassing(response.status),
    now: context.services.clock.now(),
    problem: 'the file was not taken',
  });
};
