import { Type } from '@hookloom/plugin-kit';
import { defineFeature } from '../../webhook-feature.ts';
import { type SignatureRule, schemes } from './schemes.ts';
import { signatureParameters } from './signature-rule.ts';

const names = Object.keys(schemes) as SignatureRule['scheme'][];

/** Refuses requests without a valid signature of the sender. */
export const signature = defineFeature({
  name: 'signature',
  schema: Type.Object(
    { scheme: Type.Enum(names, { description: 'How the sender signs' }), ...signatureParameters },
    {
      description:
        'Verify the signature of the sender: requests without a valid one are refused with 403 (401 for jwt, discord, shopify and xero), and nothing is started',
      examples: [
        { scheme: 'github', credentialId: 'github-secret' },
        { scheme: 'twilio', credentialId: 'twilio-token', url: 'https://hooks.example.com/sms' },
        {
          scheme: 'jwt',
          issuer: 'https://accounts.google.com',
          audience: 'https://hooks.example.com',
          jwksUrl: 'https://www.googleapis.com/oauth2/v3/certs',
          algorithms: ['RS256'],
        },
        {
          scheme: 'hmac',
          credentialId: 'shop-secret',
          header: 'x-signature',
          prefix: 'v1=',
          timestampHeader: 'x-timestamp',
          signed: '{timestamp}.{body}',
        },
      ],
    },
  ),
  check: async (rule) => (await import('./find-problems.ts')).findSignatureProblems(rule),
  stages: async (rule, ports) => (await import('./signature-stages.ts')).verifySender(rule, ports),
});
