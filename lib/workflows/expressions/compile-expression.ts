import { lazy } from '@hookloom/plugin-kit';
import { LruMap } from '../../shared/cache.ts';
import { ExpressionError, toHoleError } from './expression-error.ts';
import type { Natives, ParsedExpression } from './language.chunk.ts';
import type { Evaluate, Result, Scope, TemplatePart } from './scope.ts';
import { compileSimple, NEEDS_JSONATA } from './simple-expression.ts';
import { splitTemplate } from './template.ts';
import { toText } from './to-text.ts';
import type { UrlRule } from './url.chunk.ts';

/** Limits the memory of the cached results, which grows with the length of the texts. */
const MAX_CHARACTERS = 50_000;
/** Extra characters counted per text, so that many short texts are limited too. */
const ENTRY = 20;

/**
 * Returns the same result for equal texts, even across plans, up to the size of the cache. Errors are not cached.
 * @internal
 */
export const shareByText = <Result>(make: (text: string) => Result): ((text: string) => Result) => {
  const kept = new LruMap<string, Result>(MAX_CHARACTERS, (text) => text.length + ENTRY);
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const result = make(text);
    kept.set(text, result);
    return result;
  };
};

type Language = typeof import('./language.chunk.ts') & { readonly natives: Natives };

/** JSONata's parser and evaluator, imported for the first expression that needs them. */
let language: Language | undefined;

const loadLanguage = lazy(async (): Promise<Language> => {
  const imported = await import('./language.chunk.ts');
  language = { ...imported, parse: shareByText(imported.parse), natives: await imported.loadNatives() };
  return language;
});

/** Compiles on first use, asynchronously while JSONata is loaded. */
const compileLazily = (text: string, place: string): Evaluate => {
  let parsed: ParsedExpression | undefined;

  const evaluateIn = (loaded: Language, scope: Scope): Result => {
    parsed ??= parseIn(loaded, text);
    // No timer fires between synchronous evaluations, so the deadline is checked before each.
    if (scope.isTimeUp?.() === true) throw new Error('the execution ran out of time');
    try {
      return loaded.evaluateParsed(loaded.natives, parsed, scope, place);
    } catch (error) {
      throw new ExpressionError(`{{ ${text} }} failed: ${loaded.describeError(error)}`, error);
    }
  };

  return (scope) => {
    if (language === undefined) return loadLanguage().then((loaded) => evaluateIn(loaded, scope));
    try {
      return evaluateIn(language, scope);
    } catch (error) {
      return Promise.reject(error); // rejected instead of thrown, so that concurrent evaluations are awaited too
    }
  };
};

const parseIn = ({ parse }: Pick<Language, 'parse'>, text: string): ParsedExpression => {
  try {
    return parse(text);
  } catch (error) {
    throw new ExpressionError(error instanceof Error ? error.message : String(error), error);
  }
};

/** Parses an expression. @throws ExpressionError with what is wrong and where */
export const compileJsonata = async (text: string): Promise<ParsedExpression> =>
  parseIn(await loadLanguage(), text);

const compileShared = shareByText(compileSimple);

/**
 * Compiles the text between `{{` and `}}`. Simple expressions are evaluated without loading JSONata.
 * @param place - unique for each expression of a node, so that each has its own random numbers
 */
export const compileExpression = (source: string, place = ''): Evaluate => {
  const text = source.trim();
  const evaluate = compileLazily(text, place);
  const evaluateSimple = compileShared(text);
  if (evaluateSimple === null) return evaluate;
  return (scope) => {
    const found = evaluateSimple(scope);
    if (found === NEEDS_JSONATA) return evaluate(scope);
    return found === scope.nodes ? { ...scope.nodes } : found; // `nodes` changes during a run
  };
};

/** What the schema says about a text that addresses something. */
interface AddressRules {
  /** Of a URL, in which no value can leave its place. */
  readonly url?: UrlRule | undefined;
  /** Whether each expression must give a value, as in format 2 of workflow files. */
  readonly needsValues?: boolean;
}

/**
 * Compiles a template; null if it contains no expression. A template that is a single expression keeps the type of its
 * value.
 * @param place - its path in the parameters of the node
 * @param url - of a URL, in which no value can leave its place
 * @param needsValues - whether each expression must give a value
 */
export const compileTemplate = (
  text: string,
  place = '',
  { url, needsValues = false }: AddressRules = {},
): Evaluate | null => {
  if (!text.includes('{{')) return null;
  const parts = splitTemplate(text);
  const isOne = parts.length === 1;
  const pieces = parts.map((part) =>
    'text' in part
      ? part.text
      : compileExpression(part.expression, isOne ? place : `${place}:${part.offset}`),
  );
  const first = pieces.find((piece) => typeof piece !== 'string');
  if (first === undefined || isOne) return first ?? null;

  const make: (values: readonly Result[]) => string | Promise<string> =
    url !== undefined
      ? async (values: readonly Result[]) => {
          const { joinUrl } = await import('./url.chunk.ts');
          return joinUrl({ parts, values, place, rule: { ...url, needsValues } });
        }
      : needsValues
        ? (values: readonly Result[]) => joinAll(parts, values, place)
        : join;
  return (scope) => evaluateAll(pieces, scope, make);
};

/**
 * Evaluates expressions, literal text among them, and makes something of the values; synchronously, if all of them are
 * there.
 */
export const evaluateAll = <Made>(
  pieces: readonly (Evaluate | string)[],
  scope: Scope,
  make: (values: readonly Result[]) => Made | Promise<Made>,
): Made | Promise<Made> => {
  const values: (Result | Promise<Result>)[] = [];
  let isLate = false;
  for (const piece of pieces) {
    const value = typeof piece === 'string' ? piece : piece(scope);
    isLate ||= value instanceof Promise;
    values.push(value);
  }
  return isLate ? Promise.all(values).then(make) : make(values as Result[]);
};

const joinAll = (parts: readonly TemplatePart[], values: readonly Result[], place: string): string => {
  for (const [at, part] of parts.entries())
    if ('expression' in part && (values[at] ?? null) === null)
      throw toHoleError(part.expression, values[at] as null | undefined, `"${place.replaceAll('/', '.')}"`);
  return join(values);
};

const join = (values: readonly Result[]): string => {
  let text = '';
  for (const value of values) text += toText(value);
  return text;
};
