import { expect } from '@jest/globals';
import type { WebhookService } from './a-webhook-service.ts';

type Result = Awaited<ReturnType<WebhookService['call']>>;

/** The parsed JSON of an answer; null when it has no body. */
export const bodyOf = ({ body }: Pick<Result, 'body'>) => JSON.parse(body ?? 'null');

/** What an answer with this error looks like. @param code - as in its `type`: `not-found` */
export const aProblem = (status: number, code: string) => ({
  statusCode: status,
  headers: expect.objectContaining({
    'content-type': 'application/problem+json',
    'x-content-type-options': 'nosniff',
  }),
  body: expect.stringContaining(`"type":"urn:hookloom:problem:${code}"`),
});
