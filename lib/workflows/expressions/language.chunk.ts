import { createHash } from 'node:crypto';
import {
  EvaluationError,
  evaluate as evaluateExpression,
  type Natives,
  type ParsedExpression,
} from '@hookloom/counted-jsonata';
import { createRandom, parseJson } from '@hookloom/plugin-kit';
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
  item: ({ item }) => item,
  execution: ({ execution }) => describeExecution(execution),
  vars: ({ variables = NO_VARIABLES }) => variables,
};

/**
 * A UUID of version 4 (RFC 9562 §5.4) made from a hash: numbers from `createRandom` would repeat, since its state has
 * only 32 bits.
 */
const toUuid = (seed: string): string => {
  const digits = createHash('sha256').update(seed).digest('hex');
  const variant = ((Number.parseInt(digits.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join('-');
};

/**
 * Evaluates an expression in a scope, deterministically: a replay gives the same value on every machine.
 * @param place - unique per expression of a node
 * @throws EvaluationError
 */
export const evaluateParsed = (
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
    parseJson,
    maxSteps: scope.maxSteps,
    needsParts: scope.needsParts,
  });
};
