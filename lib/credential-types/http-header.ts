import type { CredentialType } from '../contract/credential-type.ts';
import { testUrl, testWith } from './test-request.ts';
import { withHeader } from './with-header.ts';

const apply: NonNullable<CredentialType['apply']> = (request, { name = '', value = '' }) =>
  withHeader(request, name, value);

export const httpHeader: CredentialType = {
  id: 'httpHeader',
  name: 'Header',
  description: 'Sends a secret in a header, such as X-Api-Key',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['name', 'value'],
    properties: {
      name: { type: 'string', pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$", description: 'Name of the header' },
      value: { type: 'string', minLength: 1, description: 'Its value' },
      testUrl,
    },
  },
  secretFields: ['value'],
  apply,
  test: testWith(apply),
};
