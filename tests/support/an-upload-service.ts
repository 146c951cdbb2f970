import { createHash } from 'node:crypto';
import type { JsonValue } from '@hookloom/plugin-kit';
import { bodyOf } from './a-problem.ts';
import { aJsonEvent, aWebhookEvent, type WebhookEventChanges } from './a-webhook-event.ts';
import { type AWorkflow, aWebhookService, type ServiceOptions } from './a-webhook-service.ts';

const content = 'id,total\nA-1,120\nA-2,80\n';

/** What a caller says of the content. */
export const csv = {
  name: 'orders.csv',
  mediaType: 'text/csv',
  size: Buffer.byteLength(content),
  sha256: createHash('sha256').update(content).digest('hex'),
};
export const uploadRule = { maxBytes: 1_000, mediaTypes: ['text/csv', 'image/*'] };

type Answer = Parameters<typeof bodyOf>[0];

/** The webhook function with a workflow that takes CSV files by uploads, and delivers their rows. */
export const anUploadService = async (webhook: AWorkflow['webhook'] = {}, options: ServiceOptions = {}) => {
  const service = await aWebhookService(options);
  const put = (workflow: AWorkflow = {}) =>
    service.put({
      chain: [{ type: 'csv', parameters: { operation: 'parse', file: '{{ body }}' } }],
      ...workflow,
      webhook: { upload: uploadRule, ...webhook, ...workflow.webhook },
    });
  await put();
  return {
    ...service,
    putWorkflow: put,
    request: (statement: JsonValue = csv, changes: WebhookEventChanges = {}) =>
      service.call(aJsonEvent(statement, { query: 'upload', ...changes })),
    /** What a caller does at the address that it was given. */
    send: (answer: Answer, bytes = content) => {
      const { upload } = bodyOf(answer);
      return service.blobs.put(new URL(upload.url).pathname.slice(1), Buffer.from(bytes));
    },
    start: (answer: Answer, changes: WebhookEventChanges = {}) =>
      service.call(aWebhookEvent({ query: `upload=${bodyOf(answer).uploadId}`, ...changes })),
  };
};

/** The same, with an upload whose bytes are there. */
export const aReadyUpload = async (...parts: Parameters<typeof anUploadService>) => {
  const service = await anUploadService(...parts);
  const answer = await service.request();
  await service.send(answer);
  return { ...service, answer };
};
