import type { WebhookFeatures } from '../../lib/workflows/definition/path-config.ts';
import { aWebhookEvent } from './a-webhook-event.ts';
import { type AWorkflow, aWebhookService } from './a-webhook-service.ts';

/** A service whose webhook has the feature `body`. */
export const aServiceWithBody = async (body: WebhookFeatures['body'] = {}, workflow: AWorkflow = {}) => {
  const service = await aWebhookService();
  await service.put({ ...workflow, webhook: { ...workflow.webhook, ...(body && { body }) } });
  const send = (
    bytes: string | Uint8Array,
    contentType = '',
    headers: Readonly<Record<string, string>> = {},
  ) =>
    service.call(
      aWebhookEvent({
        headers: { ...(contentType === '' ? {} : { 'content-type': contentType }), ...headers },
        body: Buffer.from(bytes).toString('base64'),
        isBase64Encoded: true,
      }),
    );
  return { ...service, send };
};

export const multipartType = 'multipart/form-data; boundary=x';

type Part = readonly [disposition: string, content: string];

/** Parts with the boundary `x`: each its headers after `form-data; `, and its content. */
export const aMultipart = (...parts: readonly Part[]): string =>
  [
    ...parts.map(
      ([disposition, content]) =>
        `--x\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`,
    ),
    '--x--\r\n',
  ].join('');
