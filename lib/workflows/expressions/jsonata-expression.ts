import type { JsonValue } from '../../contract/json.ts';
import type { Natives, ParsedExpression } from './language.ts';
import type { Evaluate, Scope } from './scope.ts';

/** What an expression of a workflow did wrong, in a run or before. */
class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
}

/** The parser of JSONata and what evaluates: loaded for the first expression that needs it. */
const loadLanguage = async () => {
  const language = await import('./language.ts');
  natives ??= language.loadNatives();
  return { ...language, natives: await natives };
};

type Language = Awaited<ReturnType<typeof loadLanguage>>;

let natives: Promise<Natives> | undefined;

/** Compiles on first use. From then on the expression is evaluated at once. */
export const compileLate = (text: string, place: string): Evaluate => {
  let loading: Promise<(scope: Scope) => JsonValue> | undefined;
  let ready: ((scope: Scope) => JsonValue) | undefined;

  const load = async () => {
    const [language, parsed] = await Promise.all([loadLanguage(), compileJsonata(text)]);
    ready = (scope) => evaluateIn(language, parsed, scope);
    return ready;
  };
  const evaluateIn = (language: Language, parsed: ParsedExpression, scope: Scope): JsonValue => {
    // One evaluation lets no timer fire, however many of them there are: the time is looked at before each.
    if (scope.isTimeUp?.() === true) throw new Error('the execution ran out of time');
    try {
      return language.evaluate(language.natives, parsed, scope, place);
    } catch (error) {
      throw new ExpressionError(`{{ ${text} }} failed: ${language.describeError(error)}`);
    }
  };

  return (scope) => {
    try {
      if (ready !== undefined) return ready(scope);
    } catch (error) {
      return Promise.reject(error); // not thrown: others that were begun with it may fail later
    }
    loading ??= load();
    return loading.then((evaluate) => evaluate(scope));
  };
};

/** @throws {ExpressionError} that says what is wrong with the expression, and where */
export const compileJsonata = async (text: string): Promise<ParsedExpression> => {
  const { parse } = await loadLanguage();
  try {
    return parse(text);
  } catch (error) {
    throw new ExpressionError(error instanceof Error ? error.message : String(error));
  }
};
