import type { Natives } from '@hookloom/counted-jsonata';
import { isPlainObject, type WorkflowNode } from '@hookloom/plugin-kit';
import type { Hints } from '../../../../lib/shared/near-name.ts';
import { toPattern } from '../../../../lib/workflows/definition/path-pattern.ts';
import type { TypeScope } from '../types/infer-expression.ts';

/** Node ids that an expression can read, found on demand. */
export interface VisibleIds {
  has(id: string): boolean;
  list(): readonly string[];
}

/** Names that an expression may use. */
export interface Names extends Hints {
  /** Ids of the nodes, which are the keys of `$nodes`. */
  readonly nodeIds: ReadonlySet<string>;
  /** The nodes upstream of the expression's node; null where all count. */
  readonly visibleIds: VisibleIds | null;
  /** Whether `$item` is the item of a body around the node. */
  readonly hasItem?: boolean;
  /** Ids of nodes by their `name`. */
  readonly idOfName: ReadonlyMap<string, string>;
  /** The node of the expression; null in a loop, where the node may have an output already. */
  readonly ownId: string | null;
  /** Fields of the input; null when they are known only at run time. */
  readonly fields: readonly string[] | null;
  /** Fields of `$trigger`; null when they are known only at run time. */
  readonly triggerFields: readonly string[] | null;
  /** The variables of the stage; null for a file by itself, which may be for any stage. */
  readonly variables: readonly string[] | null;
  /** The types of the data; nothing is known if absent. */
  readonly types?: TypeScope;
  /** The functions of JSONata. */
  readonly natives: Natives;
  /** Whether JSONata has a function of that name, without its `$`. */
  readonly isFunction: (name: string) => boolean;
}

/** The variables of every expression: see `Scope`. */
export const SCOPE_VARIABLES = ['nodes', 'trigger', 'execution', 'vars'];

/** The most similar node id; the name itself when none is similar. */
export const resolveId = ({ nodeIds, idOfName, findNearest }: Names, name: string): string =>
  nodeIds.has(name) ? name : (idOfName.get(name) ?? findNearest(name, nodeIds) ?? name);

/** Fields of any request before its trigger has run. */
const REQUEST_FIELDS = [
  'body',
  'headers',
  'queryParams',
  'requestMethod',
  'requestPath',
  'remoteAddress',
  'triggeredAt',
];

type Trigger = Pick<WorkflowNode, 'parameters'>;

/** Fields of a request to one of some webhook triggers: the input of a `deduplication`. */
export const requestFieldsOf = (triggers: readonly Trigger[]): readonly string[] => [
  ...REQUEST_FIELDS,
  ...(triggers.some(hasPathParams) ? ['pathParams'] : []),
  ...(triggers.some(hasRawBody) ? ['rawBody'] : []),
];

/** All fields in the output of one of some webhook triggers. */
export const webhookFieldsOf = (triggers: readonly Trigger[]): readonly string[] => [
  ...requestFieldsOf(triggers),
  'triggerType',
];

const hasRawBody = ({ parameters: { body } }: Trigger): boolean => isPlainObject(body) && body.raw === true;

const hasPathParams = ({ parameters: { path } }: Trigger): boolean =>
  typeof path === 'string' && toPattern(path.startsWith('/') ? path : `/${path}`) !== null;

/** Words with a special meaning in JSONata. */
const KEYWORDS = new Set(['and', 'or', 'in', 'true', 'false', 'null', 'function']);

const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A name as written in an expression: in backticks unless it is plain. */
export const toName = (name: string): string =>
  PLAIN_NAME.test(name) && !KEYWORDS.has(name) ? name : `\`${name}\``;

/** A path of names, `body.name`; `$` without names. */
export const toPath = (names: readonly string[]): string => names.map(toName).join('.') || '$';

/** Formats a path such as `$nodes.pick.total`. */
export const toNodePath = (nodeId: string, names: readonly string[]): string =>
  ['$nodes', ...[nodeId, ...names].map(toName)].join('.');
