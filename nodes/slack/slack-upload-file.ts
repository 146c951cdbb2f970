import { defineAction, eachOf, Type } from '@hookloom/plugin-kit';
import { baseUrl, credentials, ts } from './parameters.ts';

export const slackUploadFile = defineAction({
  id: 'slackUploadFile',
  name: 'Slack file',
  description: 'Uploads a file of the execution, or a text as a file, to Slack, and shares it in a channel',
  parameters: Type.Object(
    {
      file: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), {
          description: 'A file, as httpRequest puts it out; sent as a stream',
        }),
      ),
      text: Type.Optional(
        Type.String({ minLength: 1, maxLength: 5_000_000, description: 'In place of a file: its content' }),
      ),
      name: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 255,
          description:
            'Name of the file with its extension; that of the file by default, required for a text',
        }),
      ),
      title: Type.Optional(Type.String({ maxLength: 255, description: 'Title; the name by default' })),
      channel: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description: 'Id of the channel to share it in; without one it is for the app alone',
        }),
      ),
      comment: Type.Optional(
        Type.String({ maxLength: 40_000, description: 'A message that introduces the file in the channel' }),
      ),
      threadTs: Type.Optional(ts('The `ts` of a message, to share it in its thread')),
      baseUrl,
    },
    { allOf: [{ anyOf: eachOf('file', 'text') }] },
  ),
  credentials,
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
  execute: async ({ parameters, context }) => {
    const { uploadFile } = await import('./upload-file.chunk.ts');
    return uploadFile(parameters, context);
  },
});
