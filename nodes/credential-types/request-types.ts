/** The types that are added to any HTTP request; the others are for one service, or lend their fields. */
export const requestCredentialTypes: readonly string[] = [
  'httpBearer',
  'httpBasic',
  'httpHeader',
  'httpQuery',
  'httpBody',
  'oauth2',
  'googleServiceAccount',
  'awsRole',
  'awsKeys',
  'tlsClient',
];
