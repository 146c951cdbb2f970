import { type AwsClient, lazy } from '@hookloom/plugin-kit';
import type { AwsSettings } from './aws-client.chunk.ts';

/** AWS by an SDK client that is loaded for the first call: few sandboxes make one. */
export const lateAwsClient = (settings: AwsSettings): AwsClient => {
  const load = lazy(async () => (await import('./aws-client.chunk.ts')).openAwsClient(settings));
  return {
    send: async (operation) => (await load()).send(operation),
  };
};
