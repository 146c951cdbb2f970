import { parseJson as parseExactly } from '@hookloom/plugin-kit';

/** Levels of lists and objects that typed JSON may have: what draws, compares and prints a value recurses. */
const MAX_LEVELS = 200;

/**
 * Parses data that someone typed as JSON: integers that a number can't hold keep their digits, as strings.
 *
 * @throws SyntaxError; RangeError when it is nested too deeply
 */
export const parseJson = (text: string): unknown => limitLevels(parseExactly(text));

/** Parses a part of a workflow, whose check reports such integers. @throws as `parseJson` */
export const parseDefinition = (text: string): unknown => limitLevels(JSON.parse(text));

const limitLevels = (value: unknown): unknown => {
  if (isDeeper(value, MAX_LEVELS)) throw new RangeError(`it is nested more than ${MAX_LEVELS} levels deep`);
  return value;
};

/** The same for a text that may be no JSON: undefined then. */
export const tryParseJson = (text: string): unknown => {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
};

const isDeeper = (value: unknown, levels: number): boolean => {
  const inner = (each: unknown) => (typeof each === 'object' && each !== null ? Object.values(each) : []);
  const isNested = (each: unknown) => typeof each === 'object' && each !== null;
  let level = [value].filter(isNested);
  for (let depth = 0; depth < levels && level.length > 0; depth++)
    level = level.flatMap(inner).filter(isNested);
  return level.length > 0;
};
