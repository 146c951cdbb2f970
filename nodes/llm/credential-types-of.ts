import type { JsonValue } from '@hookloom/plugin-kit';

const http = ['httpBearer', 'httpHeader', 'oauth2'];
const aws = ['awsRole'];

/** The types of credential that a provider takes; those of all for one that is not known. */
export const credentialTypesOf = (provider: JsonValue | undefined): readonly string[] => {
  if (provider === 'bedrock') return aws;
  return provider === 'openai' || provider === 'anthropic' ? http : [...http, ...aws];
};
