import { createAwsCaller } from '../lib/adapters/aws/aws-caller.ts';
import { createLambdaDispatcher } from '../lib/adapters/aws/lambda-dispatcher.ts';
import { createLambdaDurableService } from '../lib/adapters/aws/lambda-durable-service.ts';
import { createDynamoDbClient } from '../lib/adapters/dynamodb/client.ts';
import { createCredentialStore } from '../lib/adapters/dynamodb/credential-store.ts';
import { createExecutionStore } from '../lib/adapters/dynamodb/execution-store.ts';
import { tableNames } from '../lib/adapters/dynamodb/table-names.ts';
import { createListWorkflowIds } from '../lib/adapters/dynamodb/workflow-ids.ts';
import { createWorkflowStore } from '../lib/adapters/dynamodb/workflow-store.ts';
import { readConfig } from '../lib/app/config.ts';
import type { CredentialStore } from '../lib/credentials/credential-store.ts';
import type { Dispatcher } from '../lib/executions/lifecycle/dispatch-execution.ts';
import type { DurableService } from '../lib/executions/lifecycle/durable-service.ts';
import type { ExecutionStore } from '../lib/executions/record/execution-store.ts';
import type { WorkflowStore } from '../lib/workflows/definition/workflow-store.ts';
import { CommandError } from './command-error.ts';
import { readServiceInfo } from './local-service.ts';

/** The parts of a running service that commands read and change. */
export interface Target {
  readonly workflows: WorkflowStore;
  readonly credentials: CredentialStore;
  readonly executions: ExecutionStore;
  /** Includes removed workflows, whose executions are still there. */
  readonly listWorkflowIds: () => Promise<readonly string[]>;
  /** Starts executions in the background. */
  readonly dispatcher: Dispatcher;
  readonly durableService: DurableService;
  /** Whether completion events are published. */
  readonly usesOutbox: boolean;
  /** Null for a deployed stage, whose URL is not known here. */
  readonly baseUrl: string | null;
  close(): void;
}

export type OpenTarget = (options: {
  readonly stage?: string | undefined;
  readonly region?: string | undefined;
}) => Target;

/**
 * Connects to the deployed stage that is named, with the AWS credentials of the environment; otherwise to the local service.
 *
 * @throws CommandError when no local service is up
 */
export const openTarget: OpenTarget = ({ stage, region }) => {
  if (stage !== undefined) {
    if (region !== undefined) process.env.AWS_REGION = region;
    return connect({ tablePrefix: `hookloom-${stage}` });
  }
  const service = readServiceInfo();
  if (service === null) {
    throw new CommandError(
      'No local service is up. Start it with `npm start`, or name a deployed stage: --stage NAME',
    );
  }
  return connect(service);
};

export interface Connection {
  /** `SERVICE-STAGE`: the names of tables and functions begin with it. */
  readonly tablePrefix: string;
  /** On this machine; AWS's own when absent. */
  readonly dynamodbEndpoint?: string;
  readonly engineEndpoint?: string;
  readonly baseUrl?: string;
}

export const connect = ({ tablePrefix, dynamodbEndpoint, engineEndpoint, baseUrl }: Connection): Target => {
  const client = createDynamoDbClient(dynamodbEndpoint);
  const tables = tableNames(tablePrefix);
  const clock = { now: () => Date.now() };
  // For executions that a command starts; the retention of others is in their records.
  const { retentionDays } = readConfig({ RETENTION_DAYS: process.env.RETENTION_DAYS });
  const local = { accessKeyId: 'local', secretAccessKey: 'local' };
  const call = createAwsCaller({
    service: 'lambda',
    region: process.env.AWS_REGION ?? 'us-east-1',
    endpoint: engineEndpoint ?? null,
    // For a deployed stage, the store's client finds them: profiles and single sign-on included.
    readCredentials: engineEndpoint === undefined ? () => client.config.credentials() : () => local,
  });
  return {
    workflows: createWorkflowStore(client, tables, clock),
    credentials: createCredentialStore(client, tables),
    executions: createExecutionStore(client, tables, { retentionDays, clock }),
    listWorkflowIds: createListWorkflowIds(client, tables),
    dispatcher: createLambdaDispatcher(call, {
      durable: `${tablePrefix}-runDurable:durable`,
      express: `${tablePrefix}-runExpress`,
    }),
    durableService: createLambdaDurableService(call),
    usesOutbox: engineEndpoint === undefined,
    baseUrl: baseUrl ?? null,
    close: () => client.destroy(),
  };
};
