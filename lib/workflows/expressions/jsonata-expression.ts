import type { JsonValue } from '../../contract/json.ts';
import type { Natives, ParsedExpression } from './language.ts';
import type { Evaluate, Scope } from './scope.ts';

/** A syntax error, or a failed evaluation, of an expression in a workflow. */
class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
}

/** Parser and evaluator of JSONata, imported for the first expression that needs them. */
const loadLanguage = async () => {
  const language = await import('./language.ts');
  natives ??= language.loadNatives();
  return { ...language, natives: await natives };
};

type Language = Awaited<ReturnType<typeof loadLanguage>>;

let natives: Promise<Natives> | undefined;

/** Compiles on first use, asynchronously; later evaluations are synchronous. */
export const compileLazily = (text: string, place: string): Evaluate => {
  let loading: Promise<(scope: Scope) => JsonValue> | undefined;
  let ready: ((scope: Scope) => JsonValue) | undefined;

  const load = async () => {
    const [language, parsed] = await Promise.all([loadLanguage(), compileJsonata(text)]);
    ready = (scope) => evaluateIn(language, parsed, scope);
    return ready;
  };
  const evaluateIn = (language: Language, parsed: ParsedExpression, scope: Scope): JsonValue => {
    // No timer fires between synchronous evaluations, so the deadline is checked before each.
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
      return Promise.reject(error); // not thrown, so that concurrent evaluations are awaited too
    }
    loading ??= load();
    return loading.then((evaluate) => evaluate(scope));
  };
};

/** Parses an expression. @throws ExpressionError with what is wrong and where */
export const compileJsonata = async (text: string): Promise<ParsedExpression> => {
  const { parse } = await loadLanguage();
  try {
    return parse(text);
  } catch (error) {
    throw new ExpressionError(error instanceof Error ? error.message : String(error));
  }
};
