import { toFileName, toMediaType } from '../../../executions/files/file-id.ts';
import { type BodyFile, type BodyFiles, describeFile } from '../../body/body-files.ts';
import type { WebhookRequest } from '../../webhook.ts';
import type { ParsedBody } from '../../webhook-feature.ts';

/** Turns the whole body into one file. */
export const toFileBody = ({ headers, rawBody }: WebhookRequest): ParsedBody =>
  withFiles({
    files: [toBodyFile('body', headers['content-type'] ?? '', rawBody)],
    toBody: ([value = {}]) => value,
  });

/** A body with descriptions in place of its files, until they are saved. */
export const withFiles = (files: BodyFiles): ParsedBody => ({
  body: files.toBody(files.files.map(describeFile)),
  files,
});

export const toBodyFile = (name: string, mediaType: string, content: Uint8Array): BodyFile => ({
  name: toFileName(name),
  mediaType: toMediaType(mediaType),
  content,
});
