import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { compileExpression } from '../../lib/workflows/expressions/compile-expression.ts';
import type { Result, Scope } from '../../lib/workflows/expressions/scope.ts';

/** What the expressions of a node see; nothing, unless the test says what. */
export const aScope = (changes: Partial<Scope> = {}): Scope => ({
  input: {},
  nodes: {},
  trigger: {},
  execution: {
    executionId: 'e-1',
    workflowId: 'orders',
    workflowVersion: 3,
    trigger: { nodeId: 'start', type: 'webhookTrigger' },
    startedAt: '2026-01-02T03:04:05.678Z',
    stage: 'test',
  },
  seed: 'e-1/node/0',
  ...changes,
});

/** @param text - of the expression, without its braces */
export const evaluateExpression = async (text: string, input: JsonObject = {}): Promise<Result> =>
  compileExpression(text)(aScope({ input }));

/** So that an expression that changes its input fails. */
export const freezeDeeply = (value: JsonValue): JsonValue => {
  if (typeof value !== 'object' || value === null) return value;
  for (const item of Object.values(value)) freezeDeeply(item);
  return Object.freeze(value);
};
