import { isPlainObject } from '@hookloom/plugin-kit';
import { quote, toPointerKey } from '../../shared/describe.ts';
import type { Problem } from '../../workflows/definition/problem.ts';
import { findOperatorProblems, prefixed, reservedInOr } from './operand-problems.ts';

/**
 * Maximum length of a pattern as JSON, in characters:
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-quota.html
 */
const MAX_LENGTH = 2_048;

/**
 * How many patterns without `$or` a pattern may expand to:
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html#eb-filtering-complex-example-or
 */
const MAX_COMBINATIONS = 1_000;

/**
 * Why EventBridge would refuse a pattern in `PutRule`, by the rules of its user guide and of event-ruler's compiler.
 * When it refuses a wildcard as too complex is not documented, and not checked here.
 * @returns problems with JSON pointers into the pattern; empty if EventBridge accepts it
 */
export const findPatternProblems = (pattern: unknown): readonly Problem[] => {
  if (!isPlainObject(pattern)) return [{ path: '', message: 'must be a JSON object' }];
  const { length } = JSON.stringify(pattern);
  if (length > MAX_LENGTH)
    return [
      { path: '', message: `has ${length} characters as JSON; EventBridge accepts at most ${MAX_LENGTH}` },
    ];
  const problems = findObjectProblems(pattern, false);
  return problems.length > 0 ? problems : findCombinationProblems(pattern);
};

type Fields = Readonly<Record<string, unknown>>;

const findObjectProblems = (fields: Fields, isWithinOr: boolean): readonly Problem[] => {
  const entries = Object.entries(fields);
  if (entries.length === 0)
    return [{ path: '', message: 'must not be empty: name a field, such as "source": ["aws.s3"]' }];
  return entries.flatMap(([key, value]) => {
    const problems = key === '$or' ? findOrProblems(value) : findFieldProblems(key, value, isWithinOr);
    return prefixed(problems, `/${toPointerKey(key)}`);
  });
};

const findOrProblems = (choices: unknown): readonly Problem[] => {
  if (!Array.isArray(choices) || choices.length < 2)
    return [{ path: '', message: 'must be an array of at least two objects' }];
  return choices.flatMap((choice, index) => {
    if (isPlainObject(choice)) return prefixed(findObjectProblems(choice, true), `/${index}`);
    return [{ path: `/${index}`, message: 'must be an object with fields' }];
  });
};

const findFieldProblems = (key: string, value: unknown, isWithinOr: boolean): readonly Problem[] => {
  if (isWithinOr && reservedInOr.has(key))
    return [{ path: '', message: `must not be a field within "$or": ${quote(key)} is a reserved name` }];
  if (isPlainObject(value)) return findObjectProblems(value, isWithinOr);
  if (!Array.isArray(value))
    return [
      { path: '', message: `must be an array of values or an object; did you mean ${suggestArray(value)}?` },
    ];
  if (value.length === 0)
    return [{ path: '', message: 'must not be an empty array: it could match nothing' }];
  return value.flatMap((wanted, index) => prefixed(findValueProblems(wanted), `/${index}`));
};

const suggestArray = (value: unknown): string => {
  const text = JSON.stringify([value]);
  return text.length > 60 ? '[…]' : text;
};

const findValueProblems = (wanted: unknown): readonly Problem[] => {
  if (isPlainObject(wanted)) return findOperatorProblems(wanted);
  if (!Array.isArray(wanted)) return [];
  return [
    { path: '', message: 'must be a string, a number, true, false, null or an object with an operator' },
  ];
};

const findCombinationProblems = (pattern: Fields): readonly Problem[] => {
  const combinations = countCombinations(pattern);
  if (combinations > MAX_COMBINATIONS) {
    const message = `expands to ${combinations} combinations through "$or"; EventBridge accepts at most ${MAX_COMBINATIONS}`;
    return [{ path: '', message }];
  }
  return findRepeatedFields(pattern, '', []).problems;
};

const countCombinations = (fields: Fields): number =>
  Object.entries(fields).reduce((count, [key, value]) => count * countChoices(key, value), 1);

const countChoices = (key: string, value: unknown): number => {
  if (key === '$or')
    return (value as readonly Fields[]).reduce((sum, one) => sum + countCombinations(one), 0);
  return isPlainObject(value) ? countCombinations(value) : 1;
};

interface Paths {
  /** Keys joined by dots, as event-ruler joins them. */
  readonly paths: readonly string[];
  readonly problems: readonly Problem[];
}

/**
 * Fields that are matched twice, next to and inside `$or`, of which the later would replace the earlier. Also a field
 * that would have to be both a value and an object, which no event has.
 * @param prefix - path of the object, with a trailing dot
 * @param before - paths of the fields that apply next to it
 */
const findRepeatedFields = (fields: Fields, prefix: string, before: readonly string[]): Paths => {
  const paths: string[] = [];
  const problems: Problem[] = [];
  for (const [key, value] of Object.entries(fields)) {
    const known = [...before, ...paths];
    const found = findRepeatedField(key, value, prefix, known);
    paths.push(...found.paths);
    problems.push(...prefixed(found.problems, `/${toPointerKey(key)}`));
  }
  return { paths, problems };
};

const findRepeatedField = (key: string, value: unknown, prefix: string, known: readonly string[]): Paths => {
  if (key === '$or') {
    const choices = (value as readonly Fields[]).map((choice) => findRepeatedFields(choice, prefix, known));
    return {
      paths: choices.flatMap(({ paths }) => paths),
      problems: choices.flatMap(({ problems }, index) => prefixed(problems, `/${index}`)),
    };
  }
  const path = `${prefix}${key}`;
  if (isPlainObject(value)) return findRepeatedFields(value, `${path}.`, known);
  const isTaken = known.some(
    (other) => other === path || other.startsWith(`${path}.`) || path.startsWith(`${other}.`),
  );
  const message = `matches ${quote(path)} a second time: use a field once, next to or inside "$or"`;
  return { paths: [path], problems: isTaken ? [{ path: '', message }] : [] };
};
