import type { CredentialStore } from '../lib/credentials/credential-store.ts';
import { createDynamoDbClient } from '../lib/dynamodb/client.ts';
import { createCredentialStore } from '../lib/dynamodb/credential-store.ts';
import { tableNames } from '../lib/dynamodb/table-names.ts';
import { createWorkflowStore } from '../lib/dynamodb/workflow-store.ts';
import type { WorkflowStore } from '../lib/workflows/workflow-store.ts';
import { readServiceInfo } from '../scripts/local/state-folder.ts';
import { CommandError } from './command-error.ts';

/** Where workflows and credentials are kept that a command is about. */
export interface Target {
  readonly workflows: WorkflowStore;
  readonly credentials: CredentialStore;
  /** Null for a deployed stage, whose address the command line does not know. */
  readonly baseUrl: string | null;
  close(): void;
}

export type OpenTarget = (options: {
  readonly stage?: string | undefined;
  readonly region?: string | undefined;
}) => Target;

/**
 * The deployed stage that is named, with the AWS credentials of the environment; otherwise the local service.
 * @throws CommandError when no local service is up
 */
export const openTarget: OpenTarget = ({ stage, region }) => {
  if (stage !== undefined) {
    if (region !== undefined) process.env.AWS_REGION = region;
    return connect(undefined, `hookloom-${stage}`, null);
  }
  const service = readServiceInfo();
  if (service === null) {
    throw new CommandError(
      'No local service is up. Start it with `npm start`, or name a deployed stage: --stage NAME',
    );
  }
  return connect(service.dynamodbEndpoint, service.tablePrefix, service.baseUrl);
};

export const connect = (
  endpoint: string | undefined,
  tablePrefix: string,
  baseUrl: string | null,
): Target => {
  const client = createDynamoDbClient(endpoint);
  const tables = tableNames(tablePrefix);
  return {
    workflows: createWorkflowStore(client, tables, { now: () => Date.now() }),
    credentials: createCredentialStore(client, tables),
    baseUrl,
    close: () => client.destroy(),
  };
};
