import type { JsonObject, JsonValue } from '../contract/json.ts';
import { compileJsonata, type Evaluate, type Scope } from './expressions.ts';
import { compileTemplate, splitTemplate } from './template.ts';

/** A node's parameters with every expression evaluated; at once when all of them are plain paths. */
export type ResolveParameters = (scope: Scope) => JsonObject | Promise<JsonObject>;

/** Compiles parameters; null when they hold no expression, and are the same in every run. */
export const compileParameters = (parameters: JsonObject): ResolveParameters | null =>
  compileObject(parameters) as ResolveParameters | null;

const compileValue = (value: JsonValue): Evaluate | null => {
  if (typeof value === 'string') return compileTemplate(value);
  if (typeof value !== 'object' || value === null) return null;
  return Array.isArray(value) ? compileArray(value) : compileObject(value as JsonObject);
};

const compileObject = (value: JsonObject): Evaluate | null => {
  const resolve = compileItems(Object.values(value));
  if (resolve === null) return null;
  const keys = Object.keys(value);
  // Object.fromEntries defines its keys, so that `__proto__` stays data.
  return resolve((items) => Object.fromEntries(keys.map((key, index) => [key, items[index] ?? null])));
};

const compileArray = (value: readonly JsonValue[]): Evaluate | null =>
  compileItems(value)?.((items) => items) ?? null;

/** Evaluates the items that hold expressions, one after the other, and hands all of them to `build`. */
const compileItems = (
  values: readonly JsonValue[],
): ((build: (items: readonly JsonValue[]) => JsonValue) => Evaluate) | null => {
  const compiled = values.map(compileValue);
  if (compiled.every((evaluate) => evaluate === null)) return null;
  return (build) => (scope) => {
    const items: (JsonValue | Promise<JsonValue>)[] = [];
    let isLate = false;
    for (let index = 0; index < values.length; index++) {
      const evaluate = compiled[index] ?? null;
      const item = evaluate === null ? (values[index] ?? null) : evaluate(scope);
      isLate ||= item instanceof Promise;
      items.push(item);
    }
    return isLate ? Promise.all(items).then(build) : build(items as JsonValue[]);
  };
};

/** What is wrong with an expression, and where: a JSON pointer (RFC 6901) into the parameters. */
export interface ExpressionProblem {
  readonly path: string;
  readonly message: string;
}

/** Every expression that JSONata can't read, or that uses what is not available. */
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
