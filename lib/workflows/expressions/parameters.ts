import type { JsonObject, JsonValue } from '../../contract/json.ts';
import { compileJsonata } from './jsonata-expression.ts';
import type { Evaluate, Scope } from './scope.ts';
import { compileTemplate, splitTemplate } from './template.ts';

/** A node's parameters with every expression evaluated; synchronous when all expressions are. */
export type ResolveParameters = (scope: Scope) => JsonObject | Promise<JsonObject>;

/** An expression in a structure. */
interface Leaf {
  readonly path: readonly (string | number)[];
  readonly evaluate: Evaluate;
}

/** The parameters without those whose braces are text. */
export const withoutLiterals = (parameters: JsonObject, literals: readonly string[]): JsonObject =>
  literals.length === 0
    ? parameters
    : Object.fromEntries(Object.entries(parameters).filter(([name]) => !literals.includes(name)));

/**
 * Compiles parameters.
 *
 * @param literals - names of parameters whose braces are text
 * @returns null when they hold no expression
 */
export const compileParameters = (
  parameters: JsonObject,
  literals: readonly string[] = [],
): ResolveParameters | null => {
  const leaves = findLeaves(withoutLiterals(parameters, literals), []);
  if (leaves.length === 0) return null;
  const insert = (values: readonly JsonValue[]) =>
    leaves.reduce<JsonValue>(
      (whole, { path }, index) => replaceAt(whole, path, 0, values[index] ?? null),
      parameters,
    );

  return (scope) => {
    const values = leaves.map(({ evaluate }) => evaluate(scope));
    const [only] = values;
    if (values.length === 1 && only instanceof Promise) {
      return only.then((value) => insert([value])) as Promise<JsonObject>;
    }
    return values.some((value) => value instanceof Promise)
      ? (Promise.all(values).then(insert) as Promise<JsonObject>)
      : (insert(values as JsonValue[]) as JsonObject);
  };
};

const findLeaves = (value: JsonValue, path: Leaf['path']): Leaf[] => {
  if (typeof value === 'string') {
    const evaluate = compileTemplate(value, path.join('/'));
    return evaluate === null ? [] : [{ path, evaluate }];
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => findLeaves(item, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => findLeaves(item, [...path, key]));
};

/** A copy with another value at the path; everything off the path is shared. */
const replaceAt = (whole: JsonValue, path: Leaf['path'], depth: number, value: JsonValue): JsonValue => {
  const step = path[depth];
  if (step === undefined) return value;
  if (Array.isArray(whole)) {
    const index = Number(step);
    return whole.with(index, replaceAt(whole[index], path, depth + 1, value));
  }
  const map = whole as JsonObject;
  const item = replaceAt(map[step] ?? null, path, depth + 1, value);
  // A spread and a computed key define properties, so `__proto__` stays data.
  return { ...map, [step]: item };
};

/** An error in an expression; `path` is a JSON pointer (RFC 6901) into the parameters. */
interface ExpressionProblem {
  readonly path: string;
  readonly message: string;
}

/** Errors of all expressions in parameters: syntax, and unsupported features. */
export const checkExpressions = async (parameters: JsonValue, path = ''): Promise<ExpressionProblem[]> => {
  if (typeof parameters === 'string') return checkText(parameters, path);
  if (typeof parameters !== 'object' || parameters === null) return [];
  const problems: ExpressionProblem[] = [];
  for (const [key, value] of Object.entries(parameters)) {
    problems.push(
      ...(await checkExpressions(value, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)),
    );
  }
  return problems;
};

const checkText = async (text: string, path: string): Promise<ExpressionProblem[]> => {
  const problems: ExpressionProblem[] = [];
  for (const part of splitTemplate(text)) {
    if ('text' in part) {
      if (part.text.includes('{{')) problems.push({ path, message: 'a "{{" has no matching "}}"' });
      continue;
    }
    try {
      await compileJsonata(part.expression.trim());
    } catch (error) {
      problems.push({ path, message: error instanceof Error ? error.message : String(error) });
    }
  }
  return problems;
};
