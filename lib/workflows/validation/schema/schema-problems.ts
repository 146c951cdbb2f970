import { isPlainObject } from '@hookloom/plugin-kit';
import type { ErrorObject } from 'ajv';
import { didYouMean, quote, quoteAll } from '../../../shared/describe.ts';
import { findNearest } from '../../../shared/near-name.ts';
import type { Problem } from '../../definition/problem.ts';
import { describeSchema, describeType } from './describe-type.ts';
import { reduceBranches } from './schema-branches.ts';
import { suggestKey } from './suggest-key.ts';

/** Whether an error is about a value that is known in a run only. */
export type IsUnknown = (error: ErrorObject) => boolean;

/**
 * Converts errors of ajv to one problem per mistake: a misspelt key is not reported as missing too, and of alternatives
 * (`oneOf`, `anyOf`) only the best match is reported.
 * @param errors - of ajv with `allErrors` and `verbose`
 */
export const toSchemaProblems = (
  errors: readonly ErrorObject[],
  place: string,
  isUnknown: IsUnknown = () => false,
): Problem[] => {
  const byValue = Map.groupBy(reduceBranches(errors, isUnknown), ({ instancePath }) => instancePath);
  return [...byValue].flatMap(([instancePath, group]) =>
    describeValue(group).map((message) => ({ path: `${place}${instancePath}`, message })),
  );
};

const describeValue = (errors: readonly ErrorObject[]): string[] => {
  const required = new Set(
    errors.flatMap(({ keyword, params }) => (keyword === 'required' ? [params.missingProperty] : [])),
  );
  const choices = new Set(
    errors.flatMap(({ keyword, params }) => (keyword === 'needsOne' ? params.keys : [])),
  );
  const unknown = errors.filter(({ keyword }) => keyword === 'additionalProperties');
  const messages = unknown.map((error) => {
    const key = String(error.params.additionalProperty);
    const [wanted, ...others] = [...required, ...choices];
    const isOnly = unknown.length === 1 && others.length === 0;
    const { meant, hint } = suggestKey(key, error, isOnly ? (wanted ?? null) : null);
    choices.clear(); // named in the hint
    if (meant !== null) required.delete(meant);
    return `has the key ${quote(key)}, which is not known here${hint}`;
  });
  for (const key of required) messages.push(`lacks the key ${quote(key)}`);
  if (choices.size > 0) messages.push(`needs one of the keys ${quoteAll(choices)}`);
  const others = errors.filter(
    ({ keyword }) => !['required', 'needsOne', 'additionalProperties'].includes(keyword),
  );
  return [...messages, ...others.map(describeError)];
};

const describeError = (error: ErrorObject): string => {
  const { keyword, message = 'is not valid', params, data, schema } = error;
  switch (keyword) {
    case 'type':
      return describeType(error);
    case 'enum': {
      const allowed: readonly unknown[] = params.allowedValues;
      const names = allowed.filter((value) => typeof value === 'string');
      const near = typeof data === 'string' ? findNearest(data, names) : null;
      return `must be one of ${allowed.join(', ')}${didYouMean(near)}`;
    }
    case 'pattern':
      return `${describePattern(error)}${didYouMean(suggestText(params.pattern, data))}`;
    case 'takesOne':
      return `takes only one of the keys ${quoteAll(params.keys)}`;
    case 'not':
      return isPlainObject(schema) && schema.const !== undefined
        ? `can't be ${JSON.stringify(schema.const)}`
        : message;
    default:
      return message;
  }
};

/** Longer patterns are hidden when there is a description. */
const MAX_PATTERN_LENGTH = 40;

const describePattern = (error: ErrorObject): string => {
  const about = describeSchema(error);
  const isShown = about === '' || error.params.pattern.length <= MAX_PATTERN_LENGTH;
  return `${isShown ? error.message : 'must match the pattern of its schema'}${about}`;
};

/** A string that matches the pattern: with a scheme added, or with dashes for characters that an id can't have. */
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
