import { lazy } from '@hookloom/plugin-kit';
import { removeWorkflow } from '../../../lib/triggers/registrations/put-workflow.ts';
import { loadNodeTypes } from '../../cli/plugins/node-types.ts';
import { openSampleStores } from './sample-stores.ts';
import {
  type FilesById,
  type IdConflict,
  putSample,
  type SeededSample,
  type StoredSample,
  seedSamples,
} from './seed.ts';

// Stores the files of workflows/. It runs as a function, in a process of the pool: it needs the node types of the
// current code, not of the code that the local service was started with.

export type SamplesEvent =
  | { readonly action: 'seed'; readonly folder: string; readonly ordersApiKey: string | null }
  | { readonly action: 'put'; readonly file: string; readonly others: FilesById }
  | { readonly action: 'remove'; readonly workflowId: string };

/** The results of the actions on samples. */
export interface SamplesResults {
  readonly seed: readonly SeededSample[];
  readonly put: StoredSample | IdConflict | { readonly problem: string };
  /** Whether the removed workflow existed. */
  readonly remove: boolean;
}

const openNodeTypes = lazy(loadNodeTypes);

const openStores = () => {
  const { DYNAMODB_ENDPOINT: dynamodbEndpoint, TABLE_PREFIX: tablePrefix } = process.env;
  const { SECRETS_FOLDER: secretsFolder, SOURCES_ENDPOINT: sourcesEndpoint } = process.env;
  if (dynamodbEndpoint === undefined || tablePrefix === undefined || secretsFolder === undefined)
    throw new Error('there is no store');
  return openSampleStores({
    dynamodbEndpoint,
    tablePrefix,
    secretsFolder,
    ...(sourcesEndpoint === undefined ? {} : { sourcesEndpoint }),
  });
};

const stores = openStores();

export const handler = async (event: SamplesEvent): Promise<SamplesResults[SamplesEvent['action']]> => {
  switch (event.action) {
    case 'seed':
      return seedSamples(stores, event.ordersApiKey, event.folder);
    case 'remove':
      return removeWorkflow(event.workflowId, { ...stores, findNodeType: await openNodeTypes() });
    case 'put': {
      try {
        return await putSample(event.file, stores, openNodeTypes(), event.others);
      } catch (error) {
        return { problem: (error as Error).message };
      }
    }
  }
};
