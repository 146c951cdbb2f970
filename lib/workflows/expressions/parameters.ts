import type { JsonObject, JsonValue } from '../../contract/json.ts';
import { setOwn } from '../../contract/kit/read-parameters.ts';
import { compileJsonata, ExpressionError } from './jsonata-expression.ts';
import type { Evaluate, Result, Scope } from './scope.ts';
import { compileTemplate, splitTemplate } from './template.ts';

/** A node's parameters with every expression evaluated; synchronous when all expressions are. */
export type ResolveParameters = (scope: Scope) => JsonObject | Promise<JsonObject>;

/** The parameters without those whose braces are text. */
export const withoutLiterals = (parameters: JsonObject, literals: readonly string[]): JsonObject =>
  literals.length === 0
    ? parameters
    : Object.fromEntries(Object.entries(parameters).filter(([name]) => !literals.includes(name)));

interface ParameterTraits {
  /** Names of parameters whose braces are text. */
  readonly literals?: readonly string[];
  /** JSON Schema of the parameters. */
  readonly schema?: JsonObject;
}

/**
 * Compiles parameters. An expression without a result leaves its key, or its item of a list, out; where the schema wants
 * a list, it gives an empty one, and a single value a list of one.
 *
 * @returns null when they hold no expression. The function throws ExpressionError when one that the schema requires has
 * no result
 */
export const compileParameters = (
  parameters: JsonObject,
  { literals = [], schema = {} }: ParameterTraits = {},
): ResolveParameters | null => {
  const evaluates: Evaluate[] = [];
  const build = compileMembers(parameters, { path: [], rules: [schema] }, evaluates, literals);
  if (build === null) return null;
  const insert = (values: readonly Result[]) => build(values) as JsonObject;

  return (scope) => {
    const values = evaluates.map((evaluate) => evaluate(scope));
    return values.some((value) => value instanceof Promise)
      ? Promise.all(values).then(insert)
      : insert(values as Result[]);
  };
};

/** Makes a value from those of all expressions; undefined when it is left out. */
type Build = (values: readonly Result[]) => Result;

/** A place in the parameters, with what their schema says of it. */
interface Place {
  readonly path: readonly string[];
  /** All rules that may apply: one for each branch of an `anyOf` or `oneOf`. */
  readonly rules: readonly Rule[];
  readonly isRequired?: boolean;
}

/** The keywords of JSON Schema, and of our own, that count for expressions. */
export interface Rule {
  readonly type?: JsonValue;
  readonly properties?: Readonly<Record<string, Rule>>;
  readonly required?: readonly string[];
  readonly items?: Rule;
  readonly additionalProperties?: Rule | boolean;
  readonly anyOf?: readonly Rule[];
  readonly oneOf?: readonly Rule[];
  readonly withoutResult?: JsonValue;
}

const compileText = (text: string, { path, rules, isRequired }: Place, evaluates: Evaluate[]) => {
  const evaluate = compileTemplate(text, path.join('/'));
  if (evaluate === null) return null;
  const index = evaluates.push(evaluate) - 1;
  const [rule] = rules;
  const isList =
    rule !== undefined && rules.every(({ type }) => type === 'array') && splitTemplate(text).length === 1;
  const { withoutResult = isList ? [] : undefined } = rule ?? {};
  return (values: readonly Result[]): Result => {
    const value = values[index];
    if (value === undefined && isRequired && withoutResult === undefined)
      throw new ExpressionError(`Parameter "${path.join('.')}" is required, and ${text} has no result`);
    if (value === undefined) return withoutResult;
    return isList && value !== null && !Array.isArray(value) ? [value] : value;
  };
};

/** Compiles a list or a map. @returns null for one without expressions, which all runs share */
const compileMembers = (
  whole: JsonObject | readonly JsonValue[],
  { path, rules }: Place,
  evaluates: Evaluate[],
  literals: readonly string[] = [],
): Build | null => {
  const isList = Array.isArray(whole);
  const compile = ([key, value]: [string, JsonValue]): Build | null => {
    const place = {
      path: [...path, key],
      rules: rules.flatMap((rule) => findRules(rule, key, isList)),
      isRequired: rules.length > 0 && rules.every(({ required }) => required?.includes(key)),
    };
    if (literals.includes(key)) return null;
    if (typeof value === 'string') return compileText(value, place, evaluates);
    return typeof value === 'object' && value !== null ? compileMembers(value, place, evaluates) : null;
  };
  const members = Object.entries(whole).map(
    (entry: [string, JsonValue]) => [...entry, compile(entry)] as const,
  );
  if (members.every(([, , build]) => build === null)) return null;
  return (values) => {
    const list: JsonValue[] = [];
    const map: Record<string, JsonValue> = {};
    for (const [key, value, build] of members) {
      const member = build === null ? value : build(values);
      if (member === undefined) continue;
      if (isList) list.push(member);
      else setOwn(map, key, member);
    }
    return isList ? list : map;
  };
};

/** The rules of a member, or of an item; an empty one where nothing is said of it. */
export const findRules = (rule: Rule, key: string, isItem: boolean): readonly Rule[] => {
  const { type, properties, items, additionalProperties } = rule;
  if (type !== undefined && type !== (isItem ? 'array' : 'object')) return [];
  const own = properties && Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
  return branchesOf(isItem ? items : own);
};

/** @param rule - a boolean says nothing, and has no keywords */
const branchesOf = (rule: Rule | boolean = {}): readonly Rule[] => {
  const { type, anyOf, oneOf = anyOf } = rule as Rule;
  if (oneOf !== undefined) return oneOf.flatMap(branchesOf);
  return type === 'null' ? [] : [rule as Rule]; // null is never made of another value
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
