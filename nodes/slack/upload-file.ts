import {
  closed,
  eachOf,
  fromAttempt,
  isFileValue,
  isPassing,
  type JsonObject,
  type NodeContext,
  NodeError,
  type OutboundRequest,
  Type,
  toStatusError,
  wrongParameter,
} from '@hookloom/plugin-kit';
import { streamFile } from '../http-request/send.ts';
import { callSlack, slack, ts } from './call-slack.ts';

interface Content {
  readonly name: string;
  /** Size of the file in bytes. */
  readonly size: number;
  readonly body: () => Pick<OutboundRequest, 'body' | 'bodyBytes'>;
}

const toContent = (
  { file, text, name }: { readonly file?: JsonObject; readonly text?: string; readonly name?: string },
  { services }: NodeContext,
): Content => {
  if (file !== undefined) {
    if (!isFileValue(file)) throw wrongParameter('file', 'a file', file);
    return {
      name: name ?? file.name,
      size: file.size,
      body: () => ({ body: streamFile(file, services.files), bodyBytes: file.size }),
    };
  }
  if (text === undefined) throw wrongParameter('file', 'a file, unless text is given', file);
  if (name === undefined) throw wrongParameter('name', 'a string when text is given', name);
  const body = Buffer.from(text);
  return { name, size: body.byteLength, body: () => ({ body }) };
};

/** Sends content to an upload URL, which is itself a secret, so that it is called without the credential. */
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
    problem: 'the file was not accepted',
  });
};

export const slackUploadFile = slack({
  id: 'slackUploadFile',
  name: 'Slack file',
  description: 'Uploads a file of the execution, or text as a file, to Slack and shares it in a channel',
  parameters: {
    file: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'A file, for instance from httpRequest; sent as a stream',
      }),
    ),
    text: Type.Optional(
      Type.String({ minLength: 1, maxLength: 5_000_000, description: 'The content, instead of a file' }),
    ),
    name: Type.Optional(
      Type.String({
        holes: 'fail',
        minLength: 1,
        maxLength: 255,
        description: 'File name with its extension; by default the name of the file, required with content',
      }),
    ),
    title: Type.Optional(Type.String({ maxLength: 255, description: 'Title; by default the name' })),
    channel: Type.Optional(
      Type.String({
        holes: 'fail',
        minLength: 1,
        maxLength: 100,
        description: 'Id of the channel to share it in; by default only the app sees it',
      }),
    ),
    comment: Type.Optional(
      Type.String({ maxLength: 40_000, description: 'A message that introduces the file in the channel' }),
    ),
    threadTs: Type.Optional(ts('The `ts` of a message, to share it in its thread')),
  },
  rules: { allOf: [{ anyOf: eachOf('file', 'text') }] },
  outputs: { main: closed({ fileId: Type.String(), title: Type.String() }) },
  example: {
    parameters: { file: '{{ body }}', channel: 'C0123456789', comment: 'The report of today' },
    input: {
      body: {
        $file: 'execution-1/report/0/1',
        name: 'report.pdf',
        mediaType: 'application/pdf',
        size: 48_213,
        sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      },
    },
    output: { fileId: 'F0123456789', title: 'report.pdf' },
  },
  /**
   * Slack's three steps: get an upload URL, send the bytes, share the file. Another attempt starts with a new URL; Slack
   * removes a file that was not shared.
   */
  execute: async (parameters, context) => {
    const { channel, comment, threadTs } = parameters;
    const content = toContent(parameters, context);
    const { title = content.name } = parameters;
    const query = { filename: content.name, length: content.size };
    const upload = { method: 'files.getUploadURLExternal', query };
    const { upload_url, file_id } = await callSlack(upload, parameters, context);
    if (typeof upload_url !== 'string' || typeof file_id !== 'string')
      throw new NodeError(
        'Slack returned no address for the upload: check that baseUrl is the URL of the Web API',
        { isRetryable: false },
      );
    await sendContent(upload_url, content, context);
    const body = {
      files: [{ id: file_id, title }],
      channel_id: channel,
      initial_comment: comment,
      thread_ts: threadTs,
    };
    await callSlack({ method: 'files.completeUploadExternal', body }, parameters, context);
    return { fileId: file_id, title };
  },
});
