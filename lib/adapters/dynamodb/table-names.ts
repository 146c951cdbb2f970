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
  }) as const;

export type TableNames = ReturnType<typeof tableNames>;

interface TableShape {
  /** `HASH` or `HASH RANGE`. */
  readonly key: string;
  /** The keys of its indexes, by name. */
  readonly indexes?: Readonly<Record<string, string>>;
  /** The attribute of its time to live. */
  readonly expiry?: string;
}

/** What the stores need of the tables of serverless.yml: restored ones lack some of it. */
export const TABLES: Readonly<Record<keyof TableNames, TableShape>> = {
  workflows: { key: 'workflowId' },
  workflowVersions: { key: 'workflowId version' },
  credentials: { key: 'credentialId' },
  executions: {
    key: 'executionId',
    indexes: {
      byWorkflow: 'workflowId startedAt',
      byFailure: 'failedWorkflowId startedAt',
      bySweep: 'sweepShard sweepAt',
    },
    expiry: 'expiresAt',
  },
  registrations: { key: 'name', indexes: { byNodeType: 'nodeType name' } },
  deliveries: { key: 'deliveryId', expiry: 'expiresAt' },
  requests: { key: 'workflowId place', expiry: 'expiresAt' },
};

/** All tables, in the order of serverless.yml. */
export const TABLE_KEYS = Object.keys(TABLES) as readonly (keyof TableNames)[];
