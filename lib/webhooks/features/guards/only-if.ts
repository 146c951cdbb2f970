import { Type } from '@hookloom/plugin-kit';
import { answerJson } from '../../../shared/answer.ts';
import { FILTER_UNDECIDED } from '../../../shared/error-catalogue.ts';
import { AppError } from '../../../shared/errors.ts';
import { compileExpression } from '../../../workflows/expressions/compile-expression.ts';
import type { Evaluate, Scope } from '../../../workflows/expressions/scope.ts';
import { toRequestScope } from '../../request-scope.ts';
import { defineFeature, type Stages } from '../../webhook-feature.ts';

/** Starts nothing for requests for which an expression is false. A failing expression refuses the request. */
export const onlyIf = defineFeature({
  name: 'onlyIf',
  schema: Type.String({
    minLength: 1,
    maxLength: 10_000,
    format: 'jsonata',
    description:
      'An expression over the request, without braces: when it is false, the answer is 200 with { "skipped": true }, and nothing is started',
    examples: ["body.action = 'opened'"],
  }),
  expressions: [''],
  stages: (rule) => skipUnless(rule),
});

const skipUnless = (rule: string): Stages => {
  const evaluate = compileExpression(rule);
  return {
    judge: async ({ request, webhook, input }) => {
      const isWanted = await decideOnlyIf(evaluate, toRequestScope(webhook, input, request.receivedAt));
      return isWanted ? null : answerJson(200, { skipped: true });
    },
  };
};

/** @throws AppError `FILTER_UNDECIDED` when the expression fails or returns anything other than true or false */
const decideOnlyIf = async (evaluate: Evaluate, scope: Scope): Promise<boolean> => {
  try {
    const found = await evaluate(scope);
    if (typeof found === 'boolean') return found;
  } catch (cause) {
    throw new AppError(FILTER_UNDECIDED, {}, cause);
  }
  throw new AppError(FILTER_UNDECIDED, {});
};
