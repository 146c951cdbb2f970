import type { JsonObject } from '@hookloom/plugin-kit';
import type { NodeType } from '@hookloom/plugin-kit/host';
import { expect, test } from '@jest/globals';
import { fillInDeclarations } from '../../../lib/plugins/adapt-provider.ts';
import { resolveExecution } from '../../../lib/workflows/definition/resolve-execution.ts';
import { compilePlan } from '../../../lib/workflows/plan/compile-plan.ts';

const nodeType: NodeType = {
  nodeType: 'read',
  kind: 'action',
  control: null,
  pure: ({ file }) => {
    if (file === 'odd') throw new Error('it cannot say');
    return file === undefined;
  },
  ...fillInDeclarations({}),
  firedBy: null,
  schema: {},
  getExecutor: () => Promise.reject(new Error('it is not run')),
};
const findNodeType = () => nodeType;

const workflowOf = (...parameters: JsonObject[]) => ({
  id: 'w',
  name: 'W',
  enabled: true,
  nodes: parameters.map((given, index) => ({ id: `n${index}`, type: 'read', parameters: given })),
  connections: [],
});

test.each<[JsonObject[], boolean[]]>([
  [[{}], [true]],
  [
    [{}, { file: '{{ file }}' }],
    [true, false],
  ],
  [[{ file: 'odd' }], [false]],
])('nodes of one type with %j are pure: %j', (parameters, expected) => {
  const workflow = workflowOf(...parameters);
  const plan = compilePlan(workflow, findNodeType);
  expect(plan.nodes.map((node) => node.nodeType.pure)).toEqual(expected);
  const isPure = !expected.includes(false);
  expect(plan.isPure).toBe(isPure);
  expect(resolveExecution(workflow, findNodeType)).toBe(isPure ? 'express' : 'durable');
});
