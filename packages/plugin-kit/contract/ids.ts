const pattern = /^[A-Za-z0-9_-]{1,64}$/;

/** Ids of workflows, nodes, credentials and executions, for JSON Schema. They fit into paths and names of AWS. */
export const ID_PATTERN = pattern.source;

export const isId = (value: unknown): value is string => typeof value === 'string' && pattern.test(value);
