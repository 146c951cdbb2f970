import type { PluginProvider } from '@hookloom/plugin-kit';
import { awsKeys, awsRole } from './aws-types.ts';
import { googleServiceAccount } from './google-service-account.ts';
import {
  httpBasic,
  httpBearer,
  httpBody,
  httpHeader,
  httpQuery,
  slackWebhook,
  tlsClient,
} from './http-types.ts';
import { oauth2 } from './oauth2.ts';
import { imap, postgres, signingKey, signingSecret, smtp } from './server-types.ts';

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
    httpBody,
    oauth2,
    googleServiceAccount,
    awsRole,
    awsKeys,
    tlsClient,
    slackWebhook,
    smtp,
    imap,
    postgres,
    signingKey,
    signingSecret,
  ],
};

export default credentials;
