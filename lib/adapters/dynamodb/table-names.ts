/** The tables of one deployed stage, as serverless.yml names them. */
export const tableNames = (prefix: string) =>
  ({
    workflows: `${prefix}-workflows`,
    workflowVersions: `${prefix}-workflow-versions`,
    credentials: `${prefix}-credentials`,
    executions: `${prefix}-executions`,
    deliveries: `${prefix}-deliveries`,
  }) as const;

export type TableNames = ReturnType<typeof tableNames>;
