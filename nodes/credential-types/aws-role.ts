import type {
  CredentialContext,
  CredentialFields,
  CredentialType,
  OutboundRequest,
} from '@hookloom/plugin-kit';
import { testWith, textSchema } from './parts.ts';

const apply = (request: OutboundRequest, fields: CredentialFields, { signWithRole }: CredentialContext) => {
  if (signWithRole === undefined) throw new Error('a credential of the type awsRole works only in AWS');
  const { roleArn = '', ...scope } = fields;
  return signWithRole(request, { roleArn, ...scope });
};

export const awsRole: CredentialType = {
  id: 'awsRole',
  name: 'AWS role',
  description: 'Assumes a role (STS AssumeRole) and signs requests to AWS with it (SigV4)',
  schema: textSchema('roleArn', {
    roleArn: { pattern: '^arn:aws[a-z-]*:iam::[0-9]{12}:role/.+$', description: 'ARN of the role' },
    externalId: { description: 'External id, if the trust policy of the role requires one' },
    region: { description: 'Region of STS and of requests; by default us-east-1 and the region in the host' },
    service: { description: 'Service name in the signature; by default the service in the host' },
  }),
  secretFields: ['externalId'],
  // https://docs.aws.amazon.com/general/latest/gr/rande.html; the host of an API with its own domain is given when the
  // credential is created.
  hosts: ['*.amazonaws.com', '*.amazonaws.com.cn', '*.api.aws', '*.on.aws'],
  apply,
  test: testWith(apply),
};
