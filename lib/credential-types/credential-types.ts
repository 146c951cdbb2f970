import type { PluginProvider } from '../contract/plugin.ts';
import { awsRole } from './aws-role.ts';
import { httpBasic } from './http-basic.ts';
import { httpBearer } from './http-bearer.ts';
import { httpHeader } from './http-header.ts';
import { httpQuery } from './http-query.ts';
import { oauth2 } from './oauth2.ts';
import { postgres } from './postgres.ts';
import { smtp } from './smtp.ts';

/** The built-in types of credentials for calling out. */
const credentials: PluginProvider = {
  id: 'credentials',
  name: 'Credentials',
  version: '1.0.0',
  description: 'Types of credentials for calling out',
  category: 'credentials',
  handles: [],
  credentialTypes: [httpBearer, httpBasic, httpHeader, httpQuery, oauth2, awsRole, smtp, postgres],
};

export default credentials;
