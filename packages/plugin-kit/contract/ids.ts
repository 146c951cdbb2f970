const pattern = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * The pattern, for JSON Schema, of the ids of workflows, nodes, credentials and executions. Such ids fit into paths and
 * AWS names.
 */
export const ID_PATTERN = pattern.source;

export const isId = (value: unknown): value is string => typeof value === 'string' && pattern.test(value);
