import type { AwsClient } from '../../contract/aws-client.ts';
import type { AwsSettings } from './aws-client.chunk.ts';

/** AWS by an SDK client that is loaded for the first call: few sandboxes make one. */
export const lateAwsClient = (settings: AwsSettings): AwsClient => {
  let client: Promise<AwsClient> | undefined;
  return {
    send: async (operation) => {
      client ??= import('./aws-client.chunk.ts').then(({ openAwsClient }) => openAwsClient(settings));
      return (await client).send(operation);
    },
  };
};
