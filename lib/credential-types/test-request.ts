import type { CredentialFields, CredentialType } from '../contract/credential-type.ts';
import type { OutboundRequest } from '../contract/services.ts';

/** A public field of the types that are added to requests. */
export const testUrl = {
  type: 'string',
  pattern: '^https?://',
  description: 'Requested by `credential test`; an answer below 400 means that the credential is accepted',
} as const;

export const TEST_TIMEOUT_MS = 10_000;

const toTestRequest = (url: string, signal: AbortSignal): OutboundRequest => ({
  method: 'GET',
  url,
  headers: { accept: '*/*' },
  body: null,
  timeoutMs: TEST_TIMEOUT_MS,
  maxRedirects: 5,
  maxResponseBytes: 1_048_576,
  signal,
});

/** The live test of a type that is added to requests: calls the field `testUrl`. */
export const testWith =
  (apply: NonNullable<CredentialType['apply']>): NonNullable<CredentialType['test']> =>
  async (fields: CredentialFields, context) => {
    const { testUrl: url = '' } = fields;
    const request = toTestRequest(url === '' ? 'https://example.com/' : url, context.signal);
    const applied = await apply(request, fields, context);
    if (url === '') return { status: 'warning', message: 'it has no testUrl: nothing was called' };
    const { status } = await context.http.request(applied);
    const message = `${new URL(url).host} answered ${status}`;
    return { status: status < 400 ? 'healthy' : 'unhealthy', message };
  };
