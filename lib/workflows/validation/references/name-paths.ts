/** Words that mean something else to JSONata. */
const KEYWORDS = new Set(['and', 'or', 'in', 'true', 'false', 'null', 'function']);

const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A name as it stands in an expression: in backticks unless it is plain. */
export const toName = (name: string): string =>
  PLAIN_NAME.test(name) && !KEYWORDS.has(name) ? name : `\`${name}\``;

/** `body.name`; `$` for no names. */
export const toPath = (names: readonly string[]): string => names.map(toName).join('.') || '$';

/** ``$nodes.`my-node`.total`` */
export const toNodePath = (nodeId: string, names: readonly string[]): string =>
  ['$nodes', ...[nodeId, ...names].map(toName)].join('.');
