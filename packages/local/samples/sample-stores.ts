import { openEditWorkflows } from '../../../lib/app/compose/admin.ts';
import { readConfig } from '../../../lib/app/config.ts';
import { installedPlugins } from '../../../nodes/installed.ts';

interface StoreOptions {
  /** Prefix of the tables' names: `SERVICE-STAGE`. */
  readonly tablePrefix: string;
  /** Endpoints on this machine; AWS's own when absent. */
  readonly dynamodbEndpoint?: string;
  readonly secretsFolder?: string;
  readonly sourcesEndpoint?: string;
}

/** The stores into which the samples are put, and what registers their triggers, with the keys of the environment. */
export const openSampleStores = ({
  tablePrefix,
  dynamodbEndpoint,
  secretsFolder,
  sourcesEndpoint,
}: StoreOptions) =>
  openEditWorkflows(
    installedPlugins,
    readConfig({
      AWS_REGION: process.env.AWS_REGION,
      TABLE_PREFIX: tablePrefix,
      DYNAMODB_ENDPOINT: dynamodbEndpoint,
      SECRETS_FOLDER: secretsFolder,
      SOURCES_ENDPOINT: sourcesEndpoint,
      PUBLIC_URL: 'http://localhost', // of no consequence: no address is printed
      SWEEP_FUNCTION: `${tablePrefix}-sweep`,
      LOG_LEVEL: 'error',
    }),
  );

export type SampleStores = Pick<
  ReturnType<typeof openSampleStores>,
  | 'workflows'
  | 'credentials'
  | 'outbound'
  | 'registrations'
  | 'openContext'
  | 'readVariables'
  | 'clock'
  | 'logger'
>;
