import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { compileJsonata, compileTemplate, evaluateAll } from './compile-expression.ts';
import { ExpressionError } from './expression-error.ts';
import type { Evaluate, ResolveParameters, Result } from './scope.ts';
import { splitTemplate } from './template.ts';

/** Returns the parameters without those whose braces are literal text. */
export const withoutLiterals = (parameters: JsonObject, literals: readonly string[]): JsonObject =>
  literals.length === 0
    ? parameters
    : Object.fromEntries(Object.entries(parameters).filter(([name]) => !literals.includes(name)));

interface ParameterTraits {
  /** Names of the parameters whose braces are literal text. */
  readonly literals?: readonly string[];
  /** JSON Schema of the parameters. */
  readonly schema?: JsonObject;
  /** Format of the workflow file; 1 by default. */
  readonly format?: number | undefined;
}

/**
 * Compiles parameters. If an expression has no result, its key or list item is left out. Where the schema requires a
 * list, no result becomes an empty list, and a single value a list of one. Where it declares a URL, values are encoded.
 * @returns null if they contain no expression. The function throws ExpressionError if a parameter that the schema
 * requires has no result, or for a value that a URL can't contain at its place
 */
export const compileParameters = (
  parameters: JsonObject,
  { literals = [], schema = {}, format = 1 }: ParameterTraits = {},
): ResolveParameters | null => {
  const leaves = findLeaves(withoutLiterals(parameters, literals), {
    path: [],
    rules: [schema as Rule],
    format,
  });
  if (leaves.length === 0) return null;
  const evaluates = leaves.map(({ evaluate }) => evaluate);
  const insert = (values: readonly Result[]): JsonObject => {
    let whole: JsonValue = parameters;
    // Last one first, so that no index changes before its item is replaced.
    for (let index = leaves.length - 1; index >= 0; index--) {
      const leaf = leaves[index] as Leaf;
      whole = replaceAt(whole, leaf.path, 0, settleLeaf(leaf, values[index])) as JsonValue;
    }
    return whole as JsonObject;
  };

  return (scope) => evaluateAll(evaluates, scope, insert);
};

/** A place in the parameters, with what their schema says about it. */
interface Place {
  readonly path: readonly string[];
  /** All rules that may apply: one for each branch of an `anyOf` or `oneOf`. */
  readonly rules: readonly Rule[];
  readonly isRequired?: boolean;
  /** Whether the map or list around it contains addresses. */
  readonly isAddress?: boolean;
  readonly format: number;
}

/** The keywords, of JSON Schema and our own, that matter to expressions. */
export interface Rule {
  readonly type?: JsonValue;
  readonly properties?: Readonly<Record<string, Rule>>;
  readonly required?: readonly string[];
  readonly items?: Rule;
  readonly additionalProperties?: Rule | boolean;
  readonly anyOf?: readonly Rule[];
  readonly oneOf?: readonly Rule[];
  readonly withoutResult?: JsonValue;
  readonly holes?: JsonValue;
  readonly pattern?: JsonValue;
  readonly format?: JsonValue;
}

/** Whether a rule says that a text is a URL: by its pattern, or as JSON Schema calls absolute ones and references. */
const isUrlRule = ({ pattern, format }: Rule): boolean =>
  /^.?(?:http|uri)/.test((pattern ?? format) as string);

/** An expression within a structure of parameters. */
interface Leaf {
  readonly path: readonly string[];
  readonly text: string;
  readonly evaluate: Evaluate;
  readonly isList: boolean;
  readonly isRequired: boolean | undefined;
  readonly withoutResult: Result;
}

const findLeaves = (value: JsonValue, place: Place): Leaf[] => {
  const { path, rules, isRequired, format } = place;
  const url = rules.find(isUrlRule);
  let isAddress = place.isAddress === true || url !== undefined;
  for (const { holes } of rules) isAddress ||= holes === 'fail';
  if (typeof value === 'string') {
    const needsValues = isAddress && format > 1;
    const compiled = compileTemplate(value, path.join('/'), { url, needsValues });
    if (compiled === null) return [];
    const evaluate: Evaluate = needsValues ? (scope) => compiled({ ...scope, needsParts: true }) : compiled;
    const [rule] = rules;
    const isList =
      rule !== undefined && rules.every(({ type }) => type === 'array') && splitTemplate(value).length === 1;
    const { withoutResult = isList ? [] : undefined } = rule ?? {};
    return [
      {
        path,
        text: value,
        evaluate,
        isList,
        isRequired: isRequired || (url !== undefined && needsValues),
        withoutResult,
      },
    ];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]: [string, JsonValue]) =>
    findLeaves(item, {
      path: [...path, key],
      rules: rules.flatMap((rule) => findRules(rule, key, Array.isArray(value))),
      isRequired: rules.length > 0 && rules.every(({ required }) => required?.includes(key)),
      isAddress,
      format,
    }),
  );
};

/**
 * The texts of parameters that address something, each with its keys: {@link compileParameters} lets them fail in format 2 if
 * an expression in them gives nothing. One that is a single expression is left out then, unless it is a URL: in format 1,
 * it is what is left of the parts that it joins.
 */
export const findAddresses = (
  value: JsonValue,
  rules: readonly Rule[],
  path: readonly string[] = [],
  isInside = false,
): { readonly path: readonly string[]; readonly text: string }[] => {
  const isAddress = isInside || rules.some((rule) => rule.holes === 'fail' || isUrlRule(rule));
  if (typeof value === 'string')
    return rules.some(isUrlRule) || (isAddress && (splitTemplate(value).length > 1 || value.includes('&')))
      ? [{ path, text: value }]
      : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]: [string, JsonValue]) => {
    const inner = rules.flatMap((rule) => findRules(rule, key, Array.isArray(value)));
    return findAddresses(item, inner, [...path, key], isAddress);
  });
};

/** The value to insert; undefined if its place is left out. */
const settleLeaf = ({ isList, isRequired, withoutResult, path, text }: Leaf, value: Result): Result => {
  if (value !== undefined) return isList && value !== null && !Array.isArray(value) ? [value] : value;
  if (isRequired && withoutResult === undefined)
    throw new ExpressionError(`Parameter "${path.join('.')}" is required, but ${text} has no result`);
  return withoutResult;
};

/** A copy with another value at the path, or with the path removed; everything else is shared. */
const replaceAt = (whole: JsonValue, path: Leaf['path'], depth: number, value: Result): Result => {
  const step = path[depth];
  if (step === undefined) return value;
  if (Array.isArray(whole)) {
    const index = Number(step);
    const item = replaceAt(whole[index], path, depth + 1, value);
    return item === undefined ? whole.toSpliced(index, 1) : whole.with(index, item);
  }
  const map = whole as JsonObject;
  const item = replaceAt(map[step] ?? null, path, depth + 1, value);
  // A spread and a computed key define properties, so `__proto__` stays data.
  if (item !== undefined) return { ...map, [step]: item };
  const { [step]: _leftOut, ...others } = map;
  return others;
};

/** The rules for a member or an item; a single empty rule if the schema says nothing about it. */
export const findRules = (rule: Rule, key: string, isItem: boolean): readonly Rule[] => {
  const { type, properties, items, additionalProperties, holes } = rule;
  if (type !== undefined && type !== (isItem ? 'array' : 'object')) return [];
  const own = properties && Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
  const found = branchesOf(isItem ? items : own);
  return Array.isArray(holes) && holes.includes(key)
    ? found.map((inner) => ({ ...inner, holes: 'fail' }))
    : found;
};

/** @param rule - a boolean has no keywords, so it says nothing */
const branchesOf = (rule: Rule | boolean = {}): readonly Rule[] => {
  const { type, anyOf, oneOf = anyOf } = rule as Rule;
  if (oneOf !== undefined) return oneOf.flatMap(branchesOf);
  return type === 'null' ? [] : [rule as Rule]; // no other value is ever converted to null
};

/** An error in an expression; `path` is a JSON pointer (RFC 6901) into the parameters. */
interface ExpressionProblem {
  readonly path: string;
  readonly message: string;
}

/** The errors of all expressions in parameters: syntax errors and unsupported features. */
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
