import type { CredentialType } from '../contract/credential-type.ts';
import { testUrl, testWith } from './test-request.ts';

const apply: NonNullable<CredentialType['apply']> = async (request, fields, context) =>
  (await import('./apply-oauth2.ts')).applyOauth2(request, fields, context);

const managed = { type: 'string', readOnly: true } as const;

export const oauth2: CredentialType = {
  id: 'oauth2',
  name: 'OAuth 2.0',
  description:
    'Gets an access token by client credentials or a refresh token (RFC 6749), and sends it as a bearer token',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['tokenUrl', 'clientId'],
    properties: {
      grant: {
        type: 'string',
        enum: ['clientCredentials', 'refreshToken'],
        default: 'clientCredentials',
        description: 'How the access token is got',
      },
      tokenUrl: { type: 'string', pattern: '^https?://', description: 'Token endpoint of the server' },
      clientId: { type: 'string', minLength: 1, description: 'Client id' },
      clientSecret: { type: 'string', description: 'Client secret; none for a public client' },
      clientAuthentication: {
        type: 'string',
        enum: ['header', 'body'],
        default: 'header',
        description: 'Where the client id and secret are sent',
      },
      scope: { type: 'string', description: 'Scopes, separated by spaces' },
      audience: { type: 'string', description: 'Audience, for servers that ask for one' },
      refreshToken: { type: 'string', description: 'For the grant refreshToken' },
      accessToken: { ...managed, description: 'Kept by the service when the server replaces refresh tokens' },
      accessTokenExpiresAt: { ...managed, description: 'Kept by the service; milliseconds since the epoch' },
      testUrl,
    },
  },
  secretFields: ['clientSecret', 'refreshToken', 'accessToken'],
  apply,
  test: testWith(apply),
};
