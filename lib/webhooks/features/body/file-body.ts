import type { JsonObject } from '@hookloom/plugin-kit';
import { toFileName, toMediaType } from '../../../executions/files/file-id.ts';
import type { WebhookRequest } from '../../webhook.ts';
import type { BodyFile, BodyFiles, ParsedBody } from '../../webhook-feature.ts';

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

/** What is known about a file before it is saved: its value without `$file` and `sha256`. */
const describeFile = ({ name, mediaType, content }: BodyFile): JsonObject => ({
  name,
  mediaType,
  size: content.length,
});
