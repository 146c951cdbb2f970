import type { PluginProvider } from '@hookloom/plugin-kit';
import { awsRole } from './aws-role.ts';
import { httpBasic, httpBearer, httpHeader, httpQuery, slackWebhook, tlsClient } from './http-types.ts';
import { oauth2 } from './oauth2.ts';
import { postgres, signingKey, signingSecret, smtp } from './server-types.ts';

/** The built-in types of credentials for outbound calls. */
const credentials: PluginProvider = {
  id: 'credentials',
  name: 'Credentials',
  version: '1.0.0',
  description: 'Types of credentials for outbound calls',
  category: 'credentials',
  handles: [],
  credentialTypes: [
    httpBearer,
    httpBasic,
    httpHeader,
    httpQuery,
    oauth2,
    awsRole,
    tlsClient,
    slackWebhook,
    smtp,
    postgres,
    signingKey,
    signingSecret,
  ],
};

export default credentials;
