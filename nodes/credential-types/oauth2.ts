import { applyOauth2 } from '@hookloom/plugin-kit';
import { toRequestType } from './parts.ts';

const kept = { readOnly: true, description: 'Stored by the service, for the grants with a refresh token' };

export const oauth2 = toRequestType({
  id: 'oauth2',
  name: 'OAuth 2.0',
  description:
    'Gets an access token by client credentials, a refresh token or a sign-in (RFC 6749), and sends it as a bearer token',
  required: 'tokenUrl clientId',
  fields: {
    grant: {
      enum: ['clientCredentials', 'refreshToken', 'authorizationCode'],
      default: 'clientCredentials',
      description: 'How to get the access token',
    },
    authorizationUrl: {
      pattern: '^https?://',
      description: 'Where people sign in, for the grant authorizationCode',
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
    audience: { description: 'Audience, for servers that require one' },
    refreshToken: { description: 'Refresh token, for the grant refreshToken' },
    accessToken: kept,
    accessTokenExpiresAt: kept,
  },
  secretFields: ['clientSecret', 'refreshToken', 'accessToken'],
  toSignIn: (fields) => (fields.grant === 'authorizationCode' ? fields : null),
  apply: applyOauth2,
});
