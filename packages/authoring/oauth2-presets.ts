import type { Oauth2Server } from '@hookloom/plugin-kit';

/** What is known of the server of a service, for a credential of the type `oauth2` that a person signs in for. */
interface Oauth2Preset extends Oauth2Server {
  /** The service, as it writes itself. */
  readonly name: string;
  readonly hosts: readonly string[];
}

/** By the name for `credential create --preset`; the console offers them, too. */
export const OAUTH2_PRESETS: Readonly<Record<string, Oauth2Preset>> = {
  airtable: {
    name: 'Airtable',
    authorizationUrl: 'https://airtable.com/oauth2/v1/authorize',
    tokenUrl: 'https://airtable.com/oauth2/v1/token',
    scopes: ['data.records:read', 'data.records:write', 'schema.bases:read'],
    clientAuthentication: 'header',
    hosts: ['api.airtable.com'],
  },
  github: {
    name: 'GitHub',
    authorizationUrl: 'https://github.com/login/oauth/authorize',
    tokenUrl: 'https://github.com/login/oauth/access_token',
    scopes: ['repo'],
    clientAuthentication: 'body',
    hosts: ['api.github.com'],
  },
  google: {
    name: 'Google',
    authorizationUrl: 'https://accounts.google.com/o/oauth2/v2/auth?access_type=offline&prompt=consent',
    tokenUrl: 'https://oauth2.googleapis.com/token',
    scopes: ['openid', 'email'],
    clientAuthentication: 'body',
    hosts: ['*.googleapis.com'],
  },
  hubspot: {
    name: 'HubSpot',
    authorizationUrl: 'https://app.hubspot.com/oauth/authorize',
    tokenUrl: 'https://api.hubapi.com/oauth/v1/token',
    scopes: ['oauth'],
    clientAuthentication: 'body',
    hosts: ['api.hubapi.com'],
  },
  microsoft: {
    name: 'Microsoft',
    authorizationUrl: 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
    tokenUrl: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
    scopes: ['offline_access', 'User.Read'],
    clientAuthentication: 'body',
    hosts: ['graph.microsoft.com'],
  },
  notion: {
    name: 'Notion',
    authorizationUrl: 'https://api.notion.com/v1/oauth/authorize?owner=user',
    tokenUrl: 'https://api.notion.com/v1/oauth/token',
    clientAuthentication: 'header',
    hosts: ['api.notion.com'],
  },
  salesforce: {
    name: 'Salesforce',
    authorizationUrl: 'https://login.salesforce.com/services/oauth2/authorize',
    tokenUrl: 'https://login.salesforce.com/services/oauth2/token',
    scopes: ['api', 'refresh_token'],
    clientAuthentication: 'body',
    hosts: ['*.my.salesforce.com'],
  },
  slack: {
    name: 'Slack',
    authorizationUrl: 'https://slack.com/oauth/v2/authorize',
    tokenUrl: 'https://slack.com/api/oauth.v2.access',
    scopes: ['chat:write'],
    clientAuthentication: 'body',
    hosts: ['slack.com'],
  },
};
