import type { CredentialType } from '../contract/credential-type.ts';
import { testUrl, testWith } from './test-request.ts';

/** Servers log URLs: a header is the better place where an API takes both. */
const apply: NonNullable<CredentialType['apply']> = (request, { name = '', value = '' }) => {
  const url = new URL(request.url);
  url.searchParams.set(name, value);
  return { ...request, url: url.href };
};

export const httpQuery: CredentialType = {
  id: 'httpQuery',
  name: 'Query parameter',
  description: 'Sends a secret in the query of the URL, such as ?key=…',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['name', 'value'],
    properties: {
      name: { type: 'string', minLength: 1, description: 'Name of the parameter' },
      value: { type: 'string', minLength: 1, description: 'Its value' },
      testUrl,
    },
  },
  secretFields: ['value'],
  apply,
  test: testWith(apply),
};
