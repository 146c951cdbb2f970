import type { SecretStore } from '../../credentials/outbound/secret-store.ts';
import type { CallAws } from '../aws/aws-caller.ts';
import { callJson } from './call-json.ts';

interface AwsSecretParts {
  /** The store of the service's own secrets. */
  readonly parameters: SecretStore;
  /** Calls Secrets Manager in a region. */
  readonly callSecretsManager: (region: string) => CallAws;
}

/**
 * The service's own secrets, and those in Secrets Manager that a credential refers to by ARN, which are only read.
 * https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html
 */
export const createAwsSecretStore = ({ parameters, callSecretsManager }: AwsSecretParts): SecretStore => ({
  ...parameters,
  get: async (reference) => {
    if (!reference.startsWith('arn:')) return parameters.get(reference);
    const [, , , region = ''] = reference.split(':');
    const answer = await callJson(
      callSecretsManager(region),
      'secretsmanager.GetSecretValue',
      { SecretId: reference },
      'ResourceNotFoundException',
    );
    return typeof answer?.SecretString === 'string' ? answer.SecretString : null;
  },
  remove: async (reference) => {
    if (!reference.startsWith('arn:')) await parameters.remove(reference);
  },
});
