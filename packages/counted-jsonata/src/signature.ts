import { EvaluationError } from './evaluation-error.ts';
import { Func } from './values.ts';

/**
 * The parameters of a function in JSONata's notation: `<s-nn?:s>`.
 * https://docs.jsonata.org/embedding-extending#function-signature-syntax
 */
export interface Signature {
  /**
   * Checks arguments. Inserts the context for a missing one, and wraps single values in lists where the signature asks
   * for a list.
   * @throws EvaluationError `T0410` | `T0411` | `T0412` when they do not match
   */
  validate(args: readonly unknown[], context: unknown): unknown[];
}

export interface Parameter {
  /** The accepted symbols, as a character class. */
  readonly types: string;
  /** Symbol of the item type, as in `a<n>`; null for any. */
  readonly itemType: string | null;
  readonly isList: boolean;
  readonly times: '' | '?' | '+';
  /** Whether the context replaces a missing argument (`-`). */
  readonly takesContext: boolean;
}

const typeNames: Readonly<Record<string, string>> = {
  a: 'arrays',
  b: 'booleans',
  f: 'functions',
  n: 'numbers',
  o: 'objects',
  s: 'strings',
};

/** Matches one parameter after another in `<…>`. */
const parameterPattern = /(\([a-z]+\)|[sbnloafjx])(?:<([^<>]*(?:<[^<>]*>[^<>]*)?)>)?([-?+])?/gy;

const parse = (definition: string): Parameter[] =>
  Array.from(definition.slice(1).matchAll(parameterPattern), ([, type = '', itemType, mark]) => ({
    types: typesOf(type),
    itemType: type === 'a' ? (itemType ?? null) : null,
    isList: type === 'a',
    times: mark === '?' || mark === '+' ? mark : mark === '-' ? '?' : '',
    takesContext: mark === '-',
  }));

/** What a signature says of a function: the symbols that each parameter accepts, and the symbols of its result and of its items. */
export const describeSignature = (definition: string) => {
  const [, result = null, itemType = null] = /:([a-z])(?:<([a-z])>)?>$/.exec(definition) ?? [];
  return { parameters: parse(definition), result, itemType };
};

/** `m` stands for a missing argument, which matches every type but `f`. */
const typesOf = (type: string): string => {
  if (type === 'a' || type === 'x') return '[asnblfom]';
  if (type === 'j') return '[asnblom]';
  if (type === 'f') return 'f';
  return type.startsWith('(') ? `[${type.slice(1, -1)}m]` : `[${type}m]`;
};

const symbolOf = (value: unknown): string => {
  switch (typeof value) {
    case 'string':
      return 's';
    case 'number':
      return 'n';
    case 'boolean':
      return 'b';
    case 'object':
      if (value === null) return 'l';
      if (Array.isArray(value)) return 'a';
      return value instanceof Func ? 'f' : 'o';
    default:
      return 'm';
  }
};

/** Maximum size of the cache that maps argument types to parameters. */
const maxShapes = 64;

export const parseSignature = (definition: string): Signature => {
  const parameters = parse(definition);
  const pattern = new RegExp(`^${parameters.map(({ types, times }) => `(${types}${times})`).join('')}$`);
  const shapes = new Map<string, readonly string[] | null>();
  const shapeOf = (symbols: string): readonly string[] | null => {
    let shape = shapes.get(symbols);
    if (shape === undefined) {
      shape = pattern.exec(symbols)?.slice(1) ?? null;
      if (shapes.size < maxShapes) shapes.set(symbols, shape);
    }
    return shape;
  };

  return {
    validate: (args, context) => {
      let symbols = '';
      for (const arg of args) symbols += symbolOf(arg);
      const shape = shapeOf(symbols);
      if (shape === null) throw mismatch(parameters, symbols);
      const validated: unknown[] = [];
      let at = 0;
      let index = 0;
      for (const parameter of parameters) {
        const taken = shape[index++] ?? '';
        if (taken === '' && parameter.takesContext) {
          if (!new RegExp(parameter.types).test(symbolOf(context))) {
            throw new EvaluationError('T0411', { index: at + 1 });
          }
          validated.push(context);
        } else if (taken === '') {
          validated.push(args[at++]);
        } else {
          for (const symbol of taken) validated.push(toArgument(parameter, symbol, taken, args[at++], at));
        }
      }
      return validated;
    },
  };
};

const toArgument = (
  { isList, itemType }: Parameter,
  symbol: string,
  taken: string,
  arg: unknown,
  index: number,
): unknown => {
  if (!isList || symbol === 'm') return arg;
  const isFit = Array.isArray(arg)
    ? itemType === null || arg.every((item) => symbolOf(item) === itemType.charAt(0))
    : itemType === null || taken === itemType;
  if (!isFit) {
    throw new EvaluationError('T0412', { index, value2: typeNames[itemType ?? ''] });
  }
  return symbol === 'a' ? arg : [arg];
};

/** The error for the first argument that does not match. */
const mismatch = (parameters: readonly Parameter[], symbols: string): EvaluationError => {
  let pattern = '^';
  let good = 0;
  for (const { types, times } of parameters) {
    pattern += types + times;
    const match = new RegExp(pattern).exec(symbols);
    if (match === null) break;
    good = match[0].length;
  }
  return new EvaluationError('T0410', { index: good + 1 });
};
