/** Ids of workflows, nodes, credentials and executions, as a pattern of JSON Schema. They fit into paths and names of AWS. */
export const ID_PATTERN = '^[A-Za-z0-9_-]{1,64}$';

const pattern = new RegExp(ID_PATTERN);

export const isId = (value: unknown): value is string => typeof value === 'string' && pattern.test(value);
