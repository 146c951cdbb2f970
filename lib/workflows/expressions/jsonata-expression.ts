import { lazy } from '@hookloom/plugin-kit';
import type { Natives, ParsedExpression } from './language.chunk.ts';
import type { Evaluate, Result, Scope } from './scope.ts';

/** A syntax error or a failed evaluation of an expression in a workflow, or one without a result that needs one. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
}

type Language = typeof import('./language.chunk.ts') & { readonly natives: Natives };

/** Parser and evaluator of JSONata, imported for the first expression that needs them. */
let language: Language | undefined;

const loadLanguage = lazy(async (): Promise<Language> => {
  const imported = await import('./language.chunk.ts');
  language = { ...imported, natives: await imported.loadNatives() };
  return language;
});

/** Compiles on first use, asynchronously while JSONata is loaded. */
export const compileLazily = (text: string, place: string): Evaluate => {
  let parsed: ParsedExpression | undefined;

  const evaluateIn = (loaded: Language, scope: Scope): Result => {
    parsed ??= parseIn(loaded, text);
    // No timer fires between synchronous evaluations, so the deadline is checked before each.
    if (scope.isTimeUp?.() === true) throw new Error('the execution ran out of time');
    try {
      return loaded.evaluate(loaded.natives, parsed, scope, place);
    } catch (error) {
      throw new ExpressionError(`{{ ${text} }} failed: ${loaded.describeError(error)}`);
    }
  };

  return (scope) => {
    if (language === undefined) return loadLanguage().then((loaded) => evaluateIn(loaded, scope));
    try {
      return evaluateIn(language, scope);
    } catch (error) {
      return Promise.reject(error); // not thrown, so that concurrent evaluations are awaited too
    }
  };
};

const parseIn = ({ parse }: Pick<Language, 'parse'>, text: string): ParsedExpression => {
  try {
    return parse(text);
  } catch (error) {
    throw new ExpressionError(error instanceof Error ? error.message : String(error));
  }
};

/** Parses an expression. @throws ExpressionError with what is wrong and where */
export const compileJsonata = async (text: string): Promise<ParsedExpression> =>
  parseIn(await loadLanguage(), text);
