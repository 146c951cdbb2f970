import type { CredentialType } from '@hookloom/plugin-kit';
import { applyOauth2 } from './apply-oauth2.ts';
import { testUrl, testWith } from './test-request.ts';
import { textSchema } from './text-schema.ts';

const kept = { readOnly: true, description: 'Kept by the service when the server replaces refresh tokens' };

export const oauth2: CredentialType = {
  id: 'oauth2',
  name: 'OAuth 2.0',
  description:
    'Gets an access token by client credentials or a refresh token (RFC 6749) and sends it as a bearer token',
  schema: textSchema('tokenUrl clientId', {
    grant: {
      enum: ['clientCredentials', 'refreshToken'],
      default: 'clientCredentials',
      description: 'How the access token is got',
    },
    tokenUrl: { pattern: '^https?://', description: 'Token endpoint of the server' },
    clientId: { minLength: 1, description: 'Client id' },
    clientSecret: { description: 'Client secret' },
    clientAuthentication: {
      enum: ['header', 'body'],
      default: 'header',
      description: 'Where the client id and secret are sent',
    },
    scope: { description: 'Scopes, separated by spaces' },
    audience: { description: 'Audience, for servers that ask for one' },
    refreshToken: { description: 'Refresh token, for the grant refreshToken' },
    accessToken: kept,
    accessTokenExpiresAt: kept,
    testUrl,
  }),
  secretFields: ['clientSecret', 'refreshToken', 'accessToken'],
  apply: applyOauth2,
  test: testWith(applyOauth2),
};
