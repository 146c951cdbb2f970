import type {
  CredentialContext,
  CredentialFields,
  CredentialType,
  OutboundRequest,
} from '@hookloom/plugin-kit';
import { testWith, textSchema, toRequestType } from './parts.ts';

const region = {
  description: 'Region of the signature; by default us-east-1 or the region in the host',
};
const service = { description: 'Service name in the signature; by default the service in the host' };

const applyRole = (
  request: OutboundRequest,
  fields: CredentialFields,
  { signWithRole }: CredentialContext,
) => {
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
    service,
  }),
  secretFields: ['externalId'],
  // https://docs.aws.amazon.com/general/latest/gr/rande.html; the host of an API with its own domain is given when the
  // credential is created.
  hosts: ['*.amazonaws.com', '*.amazonaws.com.cn', '*.api.aws', '*.on.aws'],
  apply: applyRole,
  test: testWith(applyRole),
};

/** For stores that speak the protocol of S3, and for AWS where no role can be assumed. */
export const awsKeys = toRequestType({
  id: 'awsKeys',
  name: 'AWS access key',
  description:
    'Signs requests with an access key (SigV4), as S3-compatible stores such as R2 and MinIO need it',
  required: 'accessKeyId secretAccessKey',
  fields: {
    accessKeyId: { minLength: 1, description: 'Access key id' },
    secretAccessKey: { minLength: 1, description: 'Secret access key' },
    sessionToken: { description: 'Session token, for temporary keys' },
    region,
    service: {
      ...service,
      description: 'Service name in the signature, such as s3; by default from the host',
    },
  },
  secretFields: ['secretAccessKey', 'sessionToken'],
  apply: (request, fields, { signWithKeys }) => {
    if (signWithKeys === undefined) throw new Error('a credential of the type awsKeys needs a later release');
    const { accessKeyId = '', secretAccessKey = '', ...scope } = fields;
    return signWithKeys(request, { accessKeyId, secretAccessKey, ...scope });
  },
});
