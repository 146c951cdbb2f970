export interface TableShape {
  /** Its name, after the prefix of the stage. */
  readonly name: string;
  /** Types of the table's keys: `HASH` or `HASH RANGE`. */
  readonly key: string;
  /** The keys of the table's indexes, by name. */
  readonly indexes?: Readonly<Record<string, string>>;
  /** The indexes that tables of earlier, still readable versions lack, and that an upgrade adds. */
  readonly added?: readonly string[];
  /** Name of the table's time-to-live attribute. */
  readonly expiry?: string;
  /** Set if the table's items expire within days or weeks, so that it has no point-in-time recovery. */
  readonly isPassing?: true;
}

/** What the stores need from the tables in serverless.yml; restored tables lack some of it. */
export const TABLES = {
  workflows: {
    name: 'workflows',
    key: 'workflowId',
    indexes: { summaries: 'workflowId' },
    added: ['summaries'],
  },
  workflowVersions: { name: 'workflow-versions', key: 'workflowId version' },
  credentials: { name: 'credentials', key: 'credentialId' },
  executions: {
    name: 'executions',
    key: 'executionId',
    indexes: {
      byWorkflow: 'workflowId startedAt',
      byFailure: 'failedWorkflowId startedAt',
      bySweep: 'sweepShard sweepAt',
      byTime: 'timeShard startedAt',
    },
    added: ['byTime'],
    expiry: 'expiresAt',
  },
  registrations: {
    name: 'registrations',
    key: 'name',
    indexes: { byNodeType: 'nodeType name', byWorkflow: 'workflowId name' },
    added: ['byWorkflow'],
  },
  deliveries: { name: 'deliveries', key: 'deliveryId', expiry: 'expiresAt', isPassing: true },
  requests: { name: 'requests', key: 'workflowId place', expiry: 'expiresAt', isPassing: true },
  statistics: { name: 'statistics', key: 'workflowId hourOfShard', expiry: 'expiresAt' },
  bulkRetries: { name: 'bulk-retries', key: 'partition place', expiry: 'expiresAt', isPassing: true },
  settings: { name: 'settings', key: 'name' },
  state: { name: 'state', key: 'scope place', expiry: 'expiresAt' },
  notices: { name: 'notices', key: 'scope place', expiry: 'expiresAt', isPassing: true },
} as const satisfies Readonly<Record<string, TableShape>>;
