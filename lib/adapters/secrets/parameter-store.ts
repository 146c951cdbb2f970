import type { SecretStore } from '../../credentials/outbound/secret-store.ts';
import type { CallAws } from '../aws/aws-caller.ts';
import { callJson } from './call-json.ts';
import { createParameterReader, type ReaderParts } from './parameter-reader.ts';

const PREFIX = 'ssm:';
const NOT_FOUND = 'ParameterNotFound';

/**
 * Secrets as parameters of Systems Manager, encrypted with the key that AWS manages for them. Up to 4 KB cost nothing.
 * https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_PutParameter.html
 * @param folder - the parameters' folder, such as `/hookloom-dev/credentials`
 */
export const createParameterStore = (call: CallAws, folder: string, parts: ReaderParts): SecretStore => {
  const read = createParameterReader(call, parts);
  return {
    get: (reference, maxWaitMs) => read(toName(reference), maxWaitMs),
    put: async (name, value) => {
      const Name = `${folder}/${name}`;
      const input = {
        Name,
        Value: value,
        Type: 'SecureString',
        Overwrite: true,
        Tier: 'Intelligent-Tiering',
      };
      await callJson(call, 'AmazonSSM.PutParameter', input, null);
      return `${PREFIX}${Name}`;
    },
    remove: async (reference) => {
      await callJson(call, 'AmazonSSM.DeleteParameter', { Name: toName(reference) }, NOT_FOUND);
    },
  };
};

const toName = (reference: string): string => reference.slice(PREFIX.length);
