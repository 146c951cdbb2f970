/** Words with a special meaning in JSONata. */
const KEYWORDS = new Set(['and', 'or', 'in', 'true', 'false', 'null', 'function']);

const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A name as written in an expression: in backticks unless it is plain. */
export const toName = (name: string): string =>
  PLAIN_NAME.test(name) && !KEYWORDS.has(name) ? name : `\`${name}\``;

/** A path of names, `body.name`; `$` without names. */
export const toPath = (names: readonly string[]): string => names.map(toName).join('.') || '$';

/** A path such as `$nodes.pick.total`. */
export const toNodePath = (nodeId: string, names: readonly string[]): string =>
  ['$nodes', ...[nodeId, ...names].map(toName)].join('.');
