import { createHash } from 'node:crypto';
import {
  EvaluationError,
  evaluate as evaluateExpression,
  type Natives,
  type ParsedExpression,
} from '@hookloom/counted-jsonata';
import { createRandom } from '@hookloom/plugin-kit';
import { describeExecution, NO_VARIABLES, type Result, type Scope } from './scope.ts';

export {
  describeError,
  loadNatives,
  type Natives,
  type ParsedExpression,
  parse,
} from '@hookloom/counted-jsonata';

const variablesOf: Readonly<Record<string, (scope: Scope) => unknown>> = {
  nodes: ({ nodes }) => nodes,
  trigger: ({ trigger }) => trigger,
  execution: ({ execution }) => describeExecution(execution),
  vars: ({ variables = NO_VARIABLES }) => variables,
};

/**
 * A UUID of version 4 (RFC 9562 §5.4) made from a hash: numbers from `createRandom` would repeat, since its state has
 * only 32 bits.
 */
const toUuid = (seed: string): string => {
  const bytes = createHash('sha256').update(seed).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

/**
 * Evaluates an expression in a scope, deterministically: a replay gives the same value on every machine.
 * @param place - unique per expression of a node
 * @throws EvaluationError
 */
export const evaluate = (
  natives: Natives,
  expression: ParsedExpression,
  scope: Scope,
  place: string,
): Result => {
  let random: (() => number) | undefined;
  let uuids = 0;
  return evaluateExpression(natives, expression, scope.input, {
    startedAt: () => Date.parse(scope.execution.startedAt),
    random: () => {
      random ??= createRandom(`${scope.seed}/${place}`);
      return random();
    },
    uuid: () => {
      if (scope.seed === '') throw new EvaluationError('D3165');
      return toUuid(`${scope.seed}/${place}/${uuids++}`);
    },
    variable: (name) => (Object.hasOwn(variablesOf, name) ? variablesOf[name]?.(scope) : undefined),
    maxSteps: scope.maxSteps,
  });
};
