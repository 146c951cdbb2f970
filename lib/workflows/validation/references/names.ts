import type { Hints } from '../../../shared/near-name.ts';

/** What the names in an expression may stand for. */
export interface Names extends Hints {
  /** The ids that `$nodes` has. */
  readonly nodeIds: ReadonlySet<string>;
  /** The ids of nodes by what people call them. */
  readonly idOfName: ReadonlyMap<string, string>;
  /** The node that the expression belongs to, unless it may have an output already, as in a loop. */
  readonly ownId: string | null;
  /** The fields of the input, when they are the same in every run; null when only a run knows them. */
  readonly fields: readonly string[] | null;
  /** The same for `$trigger`. */
  readonly triggerFields: readonly string[] | null;
  /** Whether JSONata has a function of that name, without its `$`. */
  readonly isFunction: (name: string) => boolean;
}

/** The variables of every expression: see `Scope`. */
export const SCOPE_VARIABLES = ['nodes', 'trigger', 'execution'];

/** The id of the node that was probably meant; what was written when nothing is near. */
export const resolveId = ({ nodeIds, idOfName, findNearest }: Names, name: string): string =>
  nodeIds.has(name) ? name : (idOfName.get(name) ?? findNearest(name, nodeIds) ?? name);
