import type { CredentialType, JsonObject, OutboundRequest } from '@hookloom/plugin-kit';

/** A public field of the types that are added to requests. */
export const testUrl = {
  pattern: '^https?://',
  description: 'Requested by `credential test`; an answer below 400 means that the credential is accepted',
};

type Apply = NonNullable<CredentialType['apply']>;

interface OfRequests
  extends Pick<CredentialType, 'id' | 'name' | 'description' | 'secretFields' | 'hosts' | 'toSignIn'> {
  /** Names of required fields, separated by spaces. */
  readonly required: string;
  readonly fields: Readonly<Record<string, TextProperty>>;
  readonly apply: Apply;
}

/** A type that is added to requests. Its credentials have the field `testUrl` for their live test. */
export const toRequestType = ({ required, fields, apply, ...about }: OfRequests): CredentialType => ({
  ...about,
  schema: textSchema(required, { ...fields, testUrl }),
  apply,
  test: testWith(apply),
});

/** The live test of a type that is added to requests: calls the field `testUrl`. */
export const testWith =
  (apply: Apply, method = 'GET'): NonNullable<CredentialType['test']> =>
  async (fields, context) => {
    const { testUrl: url = '' } = fields;
    const request = {
      method,
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

/** The request with a header, which replaces one of the same name in any case. */
export const withHeader = (request: OutboundRequest, name: string, value: string): OutboundRequest => {
  const wanted = name.toLowerCase();
  const others = Object.entries(request.headers).filter(([other]) => other.toLowerCase() !== wanted);
  return { ...request, headers: { ...Object.fromEntries(others), [wanted]: value } };
};

/** A property of a schema: a string with other keywords. */
type TextProperty = JsonObject & { readonly description: string };

/**
 * The schema of a credential type: an object of texts.
 *
 * @param required - names of required fields, separated by spaces
 */
export const textSchema = (
  required: string,
  properties: Readonly<Record<string, TextProperty>>,
): JsonObject => ({
  type: 'object',
  additionalProperties: false,
  required: required.split(' '),
  properties: Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, { type: 'string', ...property }]),
  ),
});
