import type { Node } from '@hookloom/counted-jsonata';
import jsonata from 'jsonata';

/** A node of JSONata's syntax tree; the library's own type is incomplete. */
export type Ast = Readonly<Record<string, unknown>>;

export const isAst = (value: unknown): value is Ast =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The syntax tree of an expression; null if it has none. */
export const parseTree = (expression: string): Ast | null => {
  try {
    const tree: unknown = jsonata(expression).ast();
    return isAst(tree) ? tree : null;
  } catch {
    return null;
  }
};

/** All parts of a tree, in their order. */
export function* nodesOf(root: Node): Generator<Node> {
  const work: unknown[] = [root];
  while (work.length > 0) {
    const next = work.pop();
    if (typeof next !== 'object' || next === null) continue;
    if (!Array.isArray(next) && typeof (next as Node).type === 'string') yield next as Node;
    work.push(...Object.values(next).toReversed());
  }
}

export interface Bound {
  /** The variables that the expression binds anywhere. */
  readonly bound: ReadonlySet<string>;
  /** Whether the expression defines functions. */
  readonly hasLambda: boolean;
}

/** Finds bound variables of all scopes. Without recursion, since an expression may have any depth. */
export const findBound = (root: unknown): Bound => {
  const bound = new Set<string>();
  let hasLambda = false;
  const bind = (name: unknown) => {
    if (typeof name === 'string') bound.add(name);
  };
  const work: unknown[] = [root];
  while (work.length > 0) {
    const next = work.pop();
    if (typeof next !== 'object' || next === null) continue;
    const { type, value, lhs, arguments: parameters, focus, index } = next as Ast;
    if (type === 'bind' && isAst(lhs)) bind(lhs.value);
    if (type === 'index') bind(value); // after a filter; elsewhere it is a property of a step
    if (type === 'lambda') {
      hasLambda = true;
      for (const parameter of listOf(parameters)) bind(parameter.value);
    }
    bind(focus);
    bind(index);
    work.push(...Object.values(next));
  }
  return { bound, hasLambda };
};

export const listOf = (value: unknown): readonly Ast[] => (Array.isArray(value) ? value.filter(isAst) : []);

/** Returns the strings in brackets, as in `["name"]`. */
export const textsIn = (filters: readonly Ast[]): string[] =>
  filters.flatMap(({ expr }) =>
    isAst(expr) && expr.type === 'string' && typeof expr.value === 'string' ? [expr.value] : [],
  );

/** The plain names after a step: fields, also in brackets, and `first()` for a call. */
export const namesBehind = (first: Ast | undefined, others: readonly Ast[]): string[] => {
  const names = first === undefined ? [] : textsIn([...listOf(first.stages), ...listOf(first.predicate)]);
  for (const step of others) {
    const { procedure } = step;
    if (step.type === 'name') names.push(String(step.value));
    else if (step.type === 'function' && isAst(procedure)) names.push(`${nameOfMethod(procedure) ?? ''}()`);
    else break;
    names.push(...textsIn([...listOf(step.stages), ...listOf(step.predicate)]));
  }
  return names;
};

/** Returns `f` for the call `a.f(…)` or `f(…)`; null for a call of a variable. */
export const nameOfMethod = (procedure: Ast): string | null => {
  if (procedure.type !== 'path') return null;
  const last = listOf(procedure.steps).at(-1);
  return last?.type === 'name' ? String(last.value) : null;
};

/** Whether a call is n8n's `$("Node")`. */
export const isNodeSelector = ({ procedure }: Ast): boolean =>
  isAst(procedure) && procedure.type === 'variable' && procedure.value === '';
