import type { CredentialType } from '../contract/credential-type.ts';
import { testUrl, testWith } from './test-request.ts';
import { withHeader } from './with-header.ts';

const apply: NonNullable<CredentialType['apply']> = (request, { username = '', password = '' }) =>
  withHeader(request, 'authorization', `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`);

export const httpBasic: CredentialType = {
  id: 'httpBasic',
  name: 'User name and password',
  description: 'Sends a user name and a password as Authorization: Basic (RFC 7617)',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['username', 'password'],
    properties: {
      username: { type: 'string', pattern: '^[^:]+$', description: 'Without a colon' },
      password: { type: 'string', minLength: 1, description: 'The password' },
      testUrl,
    },
  },
  secretFields: ['password'],
  apply,
  test: testWith(apply),
};
