import { findMistakes, type Mistake } from '@hookloom/bounded-schema';
import { isPlainObject, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import { didYouMean, quote, quoteAll } from '../../../../lib/shared/describe.ts';
import { findNearest } from '../../../../lib/shared/near-name.ts';
import { tryJson } from '../../../../lib/shared/try-json.ts';
import type { Problem } from '../../../../lib/workflows/definition/problem.ts';
import { splitTemplate } from '../../../../lib/workflows/expressions/template.ts';
import { proposeKey, proposeValue } from '../proposals/proposal.ts';
import { type ReducedMistake, reduceBranches } from './schema-branches.ts';
import { suggestKey } from './suggest-key.ts';

/**
 * Checks a value against a JSON Schema.
 *
 * @param place - JSON pointer to the value in the file
 * @param isUnknown - selects mistakes to ignore
 */
export const checkSchema = (
  schema: JsonObject,
  value: unknown,
  place: string,
  isUnknown?: IsUnknown,
): Problem[] => {
  try {
    return toSchemaProblems(findMistakes(schema, value), place, isUnknown);
  } catch (error) {
    return [
      {
        path: place,
        message: `can't be checked: its node type declares an invalid JSON Schema (${String(error)})`,
      },
    ];
  }
};

/** Whether an error is about a value known only at run time. */
type IsUnknown = (mistake: Mistake) => boolean;

/**
 * Whether an error is about the value of an expression, which is known only at run time. A template with more than one
 * expression always gives a string, so its type is known.
 */
export const isOnlyKnownInRun = ({ value: data, keyword }: Mistake): boolean => {
  if (typeof data !== 'string' || !data.includes('{{')) return false;
  const parts = splitTemplate(data);
  const hasExpression = parts.some((part) => 'expression' in part);
  return hasExpression && (parts.length === 1 || keyword !== 'type');
};

/**
 * Turns mistakes into problems: a misspelt key is not also reported as missing, and for alternatives (`oneOf`, `anyOf`)
 * only the best match is reported.
 */
const toSchemaProblems = (
  mistakes: readonly Mistake[],
  place: string,
  isUnknown: IsUnknown = () => false,
): Problem[] => {
  const reduced = reduceBranches(mistakes, isUnknown).filter(({ keyword }) => keyword !== 'format'); // see `checkFormat`
  const byValue = Map.groupBy(reduced, ({ place: inner }) => inner);
  return [...byValue].flatMap(([inner, group]) =>
    describeValue(group, `${place}${inner}`).map((found) => ({ path: `${place}${inner}`, ...found })),
  );
};

type Finding = Omit<Problem, 'path'>;

const describeValue = (errors: readonly ReducedMistake[], path: string): Finding[] => {
  const required = new Set(
    errors.flatMap(({ keyword, key }) => (keyword === 'required' ? [String(key)] : [])),
  );
  const choices = new Set(
    errors.flatMap(({ keyword, keys = [] }) => (keyword === 'needsOne' ? keys.map(String) : [])),
  );
  const unknown = errors.filter(({ keyword }) => keyword === 'additionalProperties');
  const findings = unknown.map((error): Finding => {
    const key = String(error.key);
    const [wanted, ...others] = [...required, ...choices];
    const isOnly = unknown.length === 1 && others.length === 0;
    const { meant, hint, value } = suggestKey(key, error, isOnly ? (wanted ?? null) : null);
    choices.clear(); // named in the hint
    if (meant !== null) required.delete(meant);
    const isFit = value !== undefined || isFitFor(error, meant);
    return {
      message: `has the unknown key ${quote(key)}${hint}`,
      ...(isFit ? proposeKey(path, key, meant, value) : {}),
    };
  });
  for (const key of required) findings.push({ message: `lacks the key ${quote(key)}` });
  if (choices.size > 0) findings.push({ message: `must have one of the keys ${quoteAll(choices)}` });
  const others = errors.filter(
    ({ keyword }) => !['required', 'needsOne', 'additionalProperties'].includes(keyword),
  );
  return [...findings, ...others.map((error) => describeError(error, path))];
};

/** Whether what is written under an unknown key is valid under the key that was probably meant. */
const isFitFor = ({ schema, value, key }: Mistake, meant: string | null): boolean => {
  if (meant === null || !isPlainObject(value) || !isPlainObject(schema.properties)) return false;
  const written = value[String(key)];
  const isComputed = typeof written === 'string' && written.includes('{{');
  try {
    return isComputed || findMistakes(schema.properties[meant] as JsonObject, written).length === 0;
  } catch {
    return false; // the part refers to others of its schema
  }
};

const describeError = (error: ReducedMistake, path: string): Finding => {
  const { keyword, value, limit, keys = [] } = error;
  switch (keyword) {
    case 'type':
      return describeType(error, path);
    case 'enum': {
      const allowed = limit as readonly unknown[];
      const names = allowed.filter((one) => typeof one === 'string');
      const near = typeof value === 'string' ? findNearest(value, names) : null;
      return {
        message: `must be one of ${allowed.join(', ')}${didYouMean(near)}`,
        ...proposeValue(path, near),
      };
    }
    case 'pattern': {
      const meant = suggestText(String(limit), value);
      return { message: `${describePattern(error)}${didYouMean(meant)}`, ...proposeValue(path, meant) };
    }
    case 'takesOne':
      return { message: `must have only one of the keys ${quoteAll(keys.map(String))}` };
    case 'not':
      return {
        message:
          isPlainObject(limit) && limit.const !== undefined
            ? `must not be ${JSON.stringify(limit.const)}`
            : 'must not match the schema in "not"',
      };
    default:
      return { message: describeLimit[keyword]?.(limit) ?? 'is not allowed' };
  }
};

/** Messages by keyword; called with the keyword's value. */
const describeLimit: Readonly<Record<string, (limit: unknown) => string>> = {
  const: (limit) => `must be ${JSON.stringify(limit)}`,
  minLength: (limit) => `must have at least ${limit} characters`,
  maxLength: (limit) => `must have at most ${limit} characters`,
  minItems: (limit) => `must have at least ${limit} items`,
  maxItems: (limit) => `must have at most ${limit} items`,
  minProperties: (limit) => `must have at least ${limit} properties`,
  maxProperties: (limit) => `must have at most ${limit} properties`,
  minimum: (limit) => `must be >= ${limit}`,
  maximum: (limit) => `must be <= ${limit}`,
  exclusiveMinimum: (limit) => `must be > ${limit}`,
  exclusiveMaximum: (limit) => `must be < ${limit}`,
  multipleOf: (limit) => `must be a multiple of ${limit}`,
  uniqueItems: () => 'must not have duplicate items',
  contains: () => 'must contain at least one valid item',
  anyOf: () => 'must match at least one schema in anyOf',
  oneOf: () => 'must match exactly one schema in oneOf',
};

/** Longer patterns are not shown if there is a description. */
const MAX_PATTERN_LENGTH = 40;

const describePattern = (error: Mistake): string => {
  const about = describeSchema(error);
  const isShown = about === '' || String(error.limit).length <= MAX_PATTERN_LENGTH;
  return `${isShown ? `must match pattern "${error.limit}"` : 'must match the pattern of its schema'}${about}`;
};

/** A similar string that matches the pattern: with a scheme added, or dashes for characters not allowed in an id. */
const suggestText = (pattern: string, data: unknown): string | null => {
  if (typeof data !== 'string' || data.length > 200) return null;
  const address = data.replace(/^(?:https?:[/\\]*|[a-z]*:\/\/|\/\/)/i, '');
  const candidates = [
    ...(/^(?:localhost|[^/]*\.)/.test(address) ? [`https://${address}`] : []),
    data.trim().replaceAll(/[^A-Za-z0-9_-]+/g, '-'),
    `/${data.trim().replaceAll('.', '/')}`, // a JSON pointer
  ];
  return candidates.find((candidate) => new RegExp(pattern, 'u').test(candidate)) ?? null;
};

/** Maximum length of a string that gets a suggestion. */
const MAX_LENGTH = 200;

/** Strings that look like expressions: a path, a comparison. */
const LOOKS_COMPUTED = /^(?:\$|[A-Za-z_][A-Za-z0-9_]*[.[])|[<>=]|\s(?:and|or|in)\s/;

/** The schema's description in parentheses, or an empty string. */
const describeSchema = ({ schema: { description } }: Mistake): string => {
  return typeof description === 'string' && description !== '' ? ` (${description})` : '';
};

/** Message for a value of the wrong type. A template keeps its value's type only when it is a single expression. */
const describeType = (mistake: Mistake, path: string): Finding => {
  const { limit, value: data } = mistake;
  const types: readonly unknown[] = Array.isArray(limit) ? limit : [limit];
  const message = `must be ${types.join(' or ')}`;
  const about = { message: `${message}${describeSchema(mistake)}` };
  if (typeof data !== 'string' || data.length > MAX_LENGTH) return about;
  const parts = splitTemplate(data);
  if (parts.some((part) => 'expression' in part)) {
    const whole = parts
      .map((part) => ('text' in part ? part.text : part.expression.trim()))
      .join('')
      .trim();
    return {
      message: `${message}, but a template with more than one expression is a string; did you mean ${quote(`{{ ${whole} }}`)}?`,
    };
  }
  const parsed = tryJson(data);
  if (parsed !== undefined && typesOf(parsed).some((type) => types.includes(type))) {
    return {
      message: `${message}; did you mean ${data.trim()}, without quotes?`,
      ...proposeValue(path, parsed),
    };
  }
  return LOOKS_COMPUTED.test(data) && !data.includes('{')
    ? { message: `${message}; did you mean ${quote(`{{ ${data} }}`)}?` }
    : about;
};

const typesOf = (value: JsonValue): string[] => {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  return Number.isInteger(value) ? ['integer', 'number'] : [typeof value];
};
