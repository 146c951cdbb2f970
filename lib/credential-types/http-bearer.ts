import type { CredentialType } from '../contract/credential-type.ts';
import { testUrl, testWith } from './test-request.ts';
import { withHeader } from './with-header.ts';

const apply: NonNullable<CredentialType['apply']> = (request, { token = '' }) =>
  withHeader(request, 'authorization', `Bearer ${token}`);

export const httpBearer: CredentialType = {
  id: 'httpBearer',
  name: 'Bearer token',
  description: 'Sends a token as Authorization: Bearer (RFC 6750)',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['token'],
    properties: { token: { type: 'string', minLength: 1, description: 'The token' }, testUrl },
  },
  secretFields: ['token'],
  apply,
  test: testWith(apply),
};
