/**
 * The id of an execution from a hash in base64url. It does not begin with a hyphen, since the command line would take it for an
 * option.
 */
export const toExecutionId = (hash: string): string => (hash.startsWith('-') ? `0${hash.slice(1)}` : hash);
