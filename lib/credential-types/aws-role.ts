import type { CredentialType } from '../contract/credential-type.ts';
import { TEST_TIMEOUT_MS } from './test-request.ts';

export const awsRole: CredentialType = {
  id: 'awsRole',
  name: 'AWS role',
  description: 'Assumes a role (STS AssumeRole) and signs requests to AWS with it (SigV4)',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['roleArn'],
    properties: {
      roleArn: {
        type: 'string',
        pattern: '^arn:aws[a-z-]*:iam::[0-9]{12}:role/.+$',
        description: 'ARN of the role',
      },
      externalId: {
        type: 'string',
        minLength: 2,
        description: 'External id that the trust policy of the role asks for',
      },
      region: {
        type: 'string',
        description: 'Region of requests and of STS; else that of the host, or us-east-1',
      },
      service: { type: 'string', description: 'Service name of the signature; else that of the host' },
      accessKeyId: {
        type: 'string',
        description: 'Key that assumes the role; without one, the service itself does',
      },
      secretAccessKey: { type: 'string', description: 'Secret of that key' },
    },
  },
  secretFields: ['secretAccessKey'],
  apply: async (request, fields, context) => {
    const [{ assumeRole }, { signRequest }] = await Promise.all([
      import('./assume-role.ts'),
      import('./sign-request.ts'),
    ]);
    return signRequest(request, await assumeRole(fields, context), { ...fields, now: context.clock.now() });
  },
  test: async (fields, context) => {
    const { assumeRole } = await import('./assume-role.ts');
    await assumeRole(fields, context, TEST_TIMEOUT_MS);
    return { status: 'healthy', message: 'STS gives keys for the role' };
  },
};
