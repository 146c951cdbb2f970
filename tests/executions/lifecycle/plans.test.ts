import { expect, test } from '@jest/globals';
import { createOpenPlan, createOtherWorkflows } from '../../../lib/executions/lifecycle/plans.ts';
import { compilePlan } from '../../../lib/workflows/plan/compile-plan.ts';
import { aGraph } from '../../support/a-run.ts';
import { inMemoryWorkflowStore } from '../../support/in-memory-stores.ts';

const { definition, findNodeType } = aGraph({ nodes: {}, edges: [] });

const LATER = '2026-11-29T12:00:00.000Z';

const otherWorkflows = async () => {
  const workflows = inMemoryWorkflowStore();
  await workflows.put(definition, []);
  let opened = 0;
  const others = createOtherWorkflows(workflows, async (workflow) => {
    opened++;
    return compilePlan(workflow.definition, findNodeType);
  });
  return { ...others, workflows, opened: () => opened };
};

test('the plan of a version of another workflow is compiled once', async () => {
  const { loadPlan, opened, workflows } = await otherWorkflows();
  const plan = await loadPlan(definition.id, 1);
  expect(await loadPlan(definition.id, 1)).toBe(plan);
  await workflows.put({ ...definition, name: 'renamed' }, []);
  expect(await loadPlan(definition.id, 2)).not.toBe(plan);
  expect(opened()).toBe(2);
});

test('a version that has the number of a lost one, after a table was restored, is compiled anew', async () => {
  const { loadPlan, findVersion, opened, workflows } = await otherWorkflows();
  const lost = await loadPlan(definition.id, 1);
  expect([await findVersion(definition.id), await loadPlan(definition.id, 1), opened()]).toEqual([
    1,
    lost,
    1,
  ]);
  const find = workflows.findVersion;
  workflows.findVersion = async (...given) => {
    const found = await find(...given);
    return found && { ...found, updatedAt: LATER };
  };
  const current = await workflows.find(definition.id);
  workflows.find = async () => current && { ...current, updatedAt: LATER };
  expect(await findVersion(definition.id)).toBe(1);
  expect(await loadPlan(definition.id, 1)).not.toBe(lost);
  await findVersion(definition.id);
  await loadPlan(definition.id, 1);
  expect(opened()).toBe(2);
});

test('a version of another workflow that is not visible yet is an infrastructure error', async () => {
  const { loadPlan } = await otherWorkflows();
  await expect(loadPlan(definition.id, 7)).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    cause: new Error(`version 7 of ${definition.id} was not found`),
  });
});

test('only an enabled workflow has a current version for others', async () => {
  const { findVersion, workflows } = await otherWorkflows();
  expect([await findVersion(definition.id), await findVersion('unknown')]).toEqual([1, null]);
  await workflows.put({ ...definition, enabled: false }, []);
  expect(await findVersion(definition.id)).toBeNull();
});

test('the node types of a workflow are loaded at once, each once', async () => {
  const loaded: unknown[] = [];
  const openPlan = createOpenPlan({
    loadNodeTypes: async (nodeTypes) => {
      loaded.push(nodeTypes);
      return findNodeType;
    },
    lookUpPlan: (_key, load) => load(),
  });
  const [start] = definition.nodes;
  const nodes = ['a', 'b'].map((id) => ({ ...start, id, type: 'type-start', parameters: {} }));
  const twice = { ...definition, nodes };
  await openPlan({ definition: twice, version: 1, updatedAt: '2026-01-01T00:00:00.000Z' });
  expect(loaded).toEqual([['type-start']]);
});
