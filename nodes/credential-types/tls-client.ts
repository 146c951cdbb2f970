import type { CredentialType } from '@hookloom/plugin-kit';
import { testUrl, testWith } from './test-request.ts';
import { textSchema } from './text-schema.ts';

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
  schema: textSchema('certificate key', {
    certificate: {
      pattern: '^-----BEGIN CERTIFICATE-----\\s[\\s\\S]+-----END ',
      description: 'The certificate in PEM, followed by those of intermediate authorities',
    },
    key: {
      pattern: '^-----BEGIN [A-Z ]*PRIVATE KEY-----\\s[\\s\\S]+-----END ',
      description: 'The private key of the certificate in PEM',
    },
    passphrase: { description: 'Of an encrypted key' },
    testUrl,
  }),
  secretFields: ['key', 'passphrase'],
  apply,
  test: testWith(apply),
};
