import type { CredentialType } from '../contract/credential-type.ts';
import { testUrl, testWith } from './test-request.ts';

const apply: NonNullable<CredentialType['apply']> = (
  request,
  { certificate = '', key = '', passphrase = '' },
) => ({
  ...request,
  tls: { certificate, key, ...(passphrase === '' ? {} : { passphrase }) },
});

export const tlsClient: CredentialType = {
  id: 'tlsClient',
  name: 'TLS client certificate',
  description: 'Presents a client certificate to the server (mutual TLS); for https only',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['certificate', 'key'],
    properties: {
      certificate: {
        type: 'string',
        pattern: '^-----BEGIN CERTIFICATE-----',
        description: 'The certificate in PEM, followed by those of intermediate authorities',
      },
      key: {
        type: 'string',
        pattern: '^-----BEGIN [A-Z ]*PRIVATE KEY-----',
        description: 'The private key of the certificate in PEM',
      },
      passphrase: { type: 'string', description: 'Of an encrypted key' },
      testUrl,
    },
  },
  secretFields: ['key', 'passphrase'],
  apply,
  test: testWith(apply),
};
