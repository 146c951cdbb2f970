import type { DynamoDbClient } from './client.ts';

/** The tables of one stage, named as in serverless.yml. */
export const tableNames = (prefix: string) =>
  ({
    workflows: `${prefix}-workflows`,
    workflowVersions: `${prefix}-workflow-versions`,
    credentials: `${prefix}-credentials`,
    executions: `${prefix}-executions`,
    registrations: `${prefix}-registrations`,
    deliveries: `${prefix}-deliveries`,
    requests: `${prefix}-requests`,
    statistics: `${prefix}-statistics`,
    bulkRetries: `${prefix}-bulk-retries`,
    settings: `${prefix}-settings`,
    state: `${prefix}-state`,
    notices: `${prefix}-notices`,
  }) as const;

export type TableNames = ReturnType<typeof tableNames>;

/** The tables of a stage, and the client that reaches them. */
export interface StageTables {
  readonly client: DynamoDbClient;
  readonly tables: TableNames;
}
