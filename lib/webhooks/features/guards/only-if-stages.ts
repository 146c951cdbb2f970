import { answerJson } from '../../../shared/answer.ts';
import { FILTER_UNDECIDED } from '../../../shared/error-catalogue.ts';
import { AppError } from '../../../shared/errors.ts';
import { compileExpression } from '../../../workflows/expressions/compile-expression.ts';
import type { Evaluate, Scope } from '../../../workflows/expressions/scope.ts';
import { toRequestScope } from '../../request-scope.ts';
import type { Stages } from '../../webhook-feature.ts';

/** Starts nothing for requests for which an expression is false. A failing expression refuses the request. */
export const skipUnless = (rule: string): Stages => {
  const evaluate = compileExpression(rule);
  return {
    judge: async ({ request, webhook, input }) => {
      const isWanted = await decide(evaluate, toRequestScope(webhook, input, request.receivedAt));
      return isWanted ? null : answerJson(200, { skipped: true });
    },
  };
};

/** @throws AppError `FILTER_UNDECIDED` when the expression fails or returns anything other than true or false */
const decide = async (evaluate: Evaluate, scope: Scope): Promise<boolean> => {
  try {
    const found = await evaluate(scope);
    if (typeof found === 'boolean') return found;
  } catch (cause) {
    throw new AppError(FILTER_UNDECIDED, {}, cause);
  }
  throw new AppError(FILTER_UNDECIDED, {});
};
