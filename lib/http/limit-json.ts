import { randomInt } from 'node:crypto';
import { AppError } from '../shared/errors.ts';

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];
const [COLON, COMMA] = [0x3a, 0x2c];

/** More of them, for which 6 MB have room, take longer to parse, check and store than all the rest of a request. */
const MAX_NESTED = 500_000;
const MAX_VALUES = 1_000_000;
/**
 * The runtime keeps a shape for each different sequence of names with which a map begins. With more than some of them, maps
 * are tables of their own.
 */
const MAX_SHAPES = 50_000;
const SOME_SHAPES = 1_000;
const MAX_NESTED_OF_MANY_SHAPES = 100_000;

/** Shapes are compared by a hash; no sender can know which ones have the same, and count as one. */
const MULTIPLIER = randomInt(2 ** 31) * 2 + 1;

/**
 * Limits a JSON text, valid or not, before it is parsed: its depth, since `JSON.parse` accepts millions of levels, but
 * recursive functions such as `JSON.stringify` overflow the stack at a few thousand; its values; and the shapes of its maps.
 *
 * @throws AppError `BODY_TOO_DEEP` when it has more than `maxDepth` levels, `BODY_INVALID` when it has too much of anything else
 */
export const limitJson = (text: string, maxDepth = Number.POSITIVE_INFINITY): void => {
  if (!isLarge(text, maxDepth)) return;
  const shapes = new Set<number>();
  /** The shapes of the lists and maps that are open, by their level. */
  const open = [0];
  let [depth, nested, values, name] = [0, 0, 1, 0];
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        name = 0;
        for (at += 1; at < text.length; at += 1) {
          const code = text.charCodeAt(at);
          if (code === QUOTE) break;
          name = Math.imul(name + code, MULTIPLIER);
          if (code === BACKSLASH) at += 1;
        }
        break;
      case COLON:
        open[depth] = addName(open[depth] ?? 0, name);
        if (shapes.add(open[depth] ?? 0).size > MAX_SHAPES) refuse(MAX_SHAPES, 'shapes of maps');
        break;
      case COMMA:
        values += 1;
        if (values > MAX_VALUES) refuse(MAX_VALUES, 'values');
        break;
      case OPEN_LIST:
      case OPEN_MAP:
        depth += 1;
        if (depth > maxDepth) throw new AppError('BODY_TOO_DEEP', { limit: maxDepth });
        open[depth] = 0;
        nested += 1;
        if (nested > MAX_NESTED) refuse(MAX_NESTED, 'lists and maps');
        break;
      case CLOSE_LIST:
      case CLOSE_MAP:
        depth -= 1;
        if (depth < 0) return; // no JSON
    }
  }
  if (nested > MAX_NESTED_OF_MANY_SHAPES && shapes.size > SOME_SHAPES)
    refuse(MAX_NESTED_OF_MANY_SHAPES, `lists and maps, and ${SOME_SHAPES} shapes of maps`);
};

/** Whether a text can be beyond a limit: most bodies can not. */
const isLarge = (text: string, maxDepth: number): boolean =>
  hasMoreThan(text, Math.min(maxDepth, MAX_NESTED_OF_MANY_SHAPES), '{', '[') ||
  hasMoreThan(text, MAX_SHAPES, ':') ||
  hasMoreThan(text, MAX_VALUES - 1, ',');

/** Whether a text has more of these characters than `limit`, in strings or not. */
const hasMoreThan = (text: string, limit: number, ...characters: readonly string[]): boolean => {
  let count = 0;
  for (const character of characters) {
    for (let at = text.indexOf(character); at !== -1 && count <= limit; at = text.indexOf(character, at + 1))
      count += 1;
  }
  return count > limit;
};

const addName = (shape: number, name: number): number => {
  const mixed = Math.imul(shape ^ name, MULTIPLIER);
  return mixed ^ (mixed >>> 15);
};

const refuse = (limit: number, what: string): never => {
  throw new AppError('BODY_INVALID', { reason: `it has more than ${limit} ${what}` });
};
