import type { FindNodeType, NodeType } from '@hookloom/plugin-kit/host';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { adaptUnified } from '../../lib/plugins/adapt-provider.ts';
import { compilePlan } from '../../lib/workflows/plan/compile-plan.ts';
import { validateWorkflow } from '../../packages/authoring/validation/validate.ts';
import { aHandle, aProvider } from '../support/a-plugin.ts';

const schema = {
  type: 'object',
  additionalProperties: false,
  properties: { program: { type: 'string', minLength: 2 }, values: { type: 'object' } },
};

const trigger: NodeType = {
  ...nodeType({ id: 'manualTrigger', kind: 'trigger', schema: {} }),
  firedBy: 'subworkflow',
};

let findNodeType: FindNodeType;

/** The only node type of a provider with one handle. */
function nodeType(change: Parameters<typeof aHandle>[0]): NodeType {
  const [found] = adaptUnified(aProvider({ handles: [aHandle(change)] })).nodeTypes;
  if (found === undefined) throw new Error('the provider has no node type');
  return found;
}

const aWorkflowWith = (parameters: object) => ({
  id: 'shop',
  name: 'Shop',
  enabled: true,
  nodes: [
    { id: 'start', type: 'manualTrigger', parameters: {} },
    { id: 'run', type: 'program', parameters },
  ],
  connections: [{ sourceNodeId: 'start', targetNodeId: 'run' }],
});

beforeAll(() => {
  const program = nodeType({
    id: 'program',
    kind: 'action',
    schema,
    literalParameters: ['program'],
    checkParameters: ({ program: text }) => {
      if (text === 'throw') throw new Error('broken');
      return text === 'wrong' ? [{ path: '/program', message: 'is wrong' }] : [];
    },
  });
  findNodeType = (type) => ({ program, manualTrigger: trigger })[type] ?? null;
});

const problemsOf = async (parameters: object) =>
  (await validateWorkflow(aWorkflowWith(parameters), findNodeType)).problems;

describe('a literal parameter', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of the program
  const text = 'const a = { b: {{ $nodes.other }} }; `${body.a}`';

  test('keeps its braces while others are resolved', () => {
    const values = { id: '{{ $execution.id }}' };
    const plan = compilePlan(aWorkflowWith({ program: text, values }), findNodeType);
    const { resolve, nodesRead } = plan.nodes[1] ?? {};
    const execution = {
      executionId: 'e-1',
      workflowId: 'shop',
      workflowVersion: 1,
      trigger: { nodeId: 'start', type: 'manualTrigger' },
      startedAt: '2026-01-01T00:00:00.000Z',
      stage: 'test',
    };
    const scope = { input: {}, nodes: {}, trigger: {}, execution, seed: '' };
    expect(resolve?.(scope)).toEqual({ program: text, values: { id: 'e-1' } });
    expect(nodesRead).toEqual([]);
    expect(compilePlan(aWorkflowWith({ program: text }), findNodeType).nodes[1]?.resolve).toBeNull();
  });

  test('is not checked for expressions', async () => {
    expect(await problemsOf({ program: text })).toEqual([]);
    expect(await problemsOf({ program: text, values: { a: '{{ 1 + }}' } })).toMatchObject([
      { path: '/nodes/1/parameters/values/a' },
    ]);
  });
});

describe('the check of a node type', () => {
  test('adds its problems at their places', async () => {
    const problem = { path: '/nodes/1/parameters/program', message: 'is wrong' };
    expect(await problemsOf({ program: 'wrong' })).toEqual([problem]);
  });

  test('follows the name of the schema', async () => {
    expect(await problemsOf({ program: 'wrong', other: 1 })).toMatchObject([
      { path: '/nodes/1/parameters', message: expect.stringContaining('other') },
    ]);
  });

  test('that throws is a problem', async () => {
    const message = 'could not be checked: Error: broken';
    expect(await problemsOf({ program: 'throw' })).toEqual([{ path: '/nodes/1/parameters', message }]);
  });
});
