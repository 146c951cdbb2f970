import type { Hints } from '../../../lib/shared/near-name.ts';
import type { Shapes } from './shapes.ts';

/** Node ids that an expression can read, found on demand. */
export interface VisibleIds {
  has(id: string): boolean;
  list(): readonly string[];
}

/** Names that an expression may use. */
export interface Names extends Hints {
  /** Keys of `$nodes`. */
  readonly nodeIds: ReadonlySet<string>;
  /** The nodes upstream of the expression's node; null where all count. */
  readonly visibleIds: VisibleIds | null;
  /** Ids of nodes by their `name`. */
  readonly idOfName: ReadonlyMap<string, string>;
  /** The node of the expression; null in a loop, where the node may have an output already. */
  readonly ownId: string | null;
  /** Fields of the input; null when they are known only at run time. */
  readonly fields: readonly string[] | null;
  /** The same for `$trigger`. */
  readonly triggerFields: readonly string[] | null;
  /** What is known about the data. */
  readonly shapes?: Shapes;
  /** Whether JSONata has a function of that name, without its `$`. */
  readonly isFunction: (name: string) => boolean;
}

/** The variables of every expression: see `Scope`. */
export const SCOPE_VARIABLES = ['nodes', 'trigger', 'execution'];

/** The most similar node id; the name itself when none is similar. */
export const resolveId = ({ nodeIds, idOfName, findNearest }: Names, name: string): string =>
  nodeIds.has(name) ? name : (idOfName.get(name) ?? findNearest(name, nodeIds) ?? name);
