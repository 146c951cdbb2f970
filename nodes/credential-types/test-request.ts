import type { CredentialType } from '@hookloom/plugin-kit';

/** A public field of the types that are added to requests. */
export const testUrl = {
  pattern: '^https?://',
  description: 'Requested by `credential test`; an answer below 400 means that the credential is accepted',
};

/** The live test of a type that is added to requests: calls the field `testUrl`. */
export const testWith =
  (apply: NonNullable<CredentialType['apply']>): NonNullable<CredentialType['test']> =>
  async (fields, context) => {
    const { testUrl: url = '' } = fields;
    const request = {
      method: 'GET',
      url: url || 'https://example.com/',
      headers: {},
      body: null,
      timeoutMs: 10_000,
      maxRedirects: 5,
      maxResponseBytes: 1_048_576,
      signal: context.signal,
    };
    const applied = await apply(request, fields, context);
    if (url === '') return { status: 'warning', message: 'it has no testUrl: nothing was called' };
    const { status } = await context.http.request(applied);
    const message = `${new URL(url).host} answered ${status}`;
    return { status: status < 400 ? 'healthy' : 'unhealthy', message };
  };
