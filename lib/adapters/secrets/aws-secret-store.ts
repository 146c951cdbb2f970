import { isBound, type SecretStore } from '../../credentials/outbound/secret-store.ts';
import type { CallAws } from '../aws/aws-caller.ts';
import { callJson } from './call-json.ts';
import { createParameterReader, type ReaderParts } from './parameter-reader.ts';

/**
 * The service's own secrets, and those in Secrets Manager that a credential refers to by ARN, which are only read.
 * https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html
 */
export const createAwsSecretStore = ({
  parameters,
  callSecretsManager,
}: {
  /** The store of the service's own secrets. */
  readonly parameters: SecretStore;
  readonly callSecretsManager: (region: string) => CallAws;
}): SecretStore => ({
  ...parameters,
  get: async (reference, maxWaitMs) => {
    if (!isBound(reference)) return parameters.get(reference, maxWaitMs);
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
    if (!isBound(reference)) await parameters.remove(reference);
  },
});

const PREFIX = 'ssm:';
const NOT_FOUND = 'ParameterNotFound';

/**
 * Secrets as parameters of Systems Manager, encrypted with the key that AWS manages for them. Up to 4 KB cost nothing.
 * https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_PutParameter.html
 * @param folder - the parameters' folder, such as `/hookloom-dev/credentials`
 */
export const createParameterStore = (call: CallAws, folder: string, parts: ReaderParts): SecretStore => {
  const read = createParameterReader(call, parts);
  const referenceOf = (name: string): string => `${PREFIX}${folder}/${name}`;
  return {
    referenceOf,
    get: (reference, maxWaitMs) => read(toParameterName(reference), maxWaitMs),
    put: async (name, value) => {
      const input = {
        Name: toParameterName(referenceOf(name)),
        Value: value,
        Type: 'SecureString',
        Overwrite: true,
        Tier: 'Intelligent-Tiering',
      };
      await callJson(call, 'AmazonSSM.PutParameter', input, null);
      return referenceOf(name);
    },
    remove: async (reference) => {
      await callJson(call, 'AmazonSSM.DeleteParameter', { Name: toParameterName(reference) }, NOT_FOUND);
    },
  };
};

const toParameterName = (reference: string): string => reference.slice(PREFIX.length);
