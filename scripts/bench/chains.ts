import type { WorkflowNode } from '@hookloom/plugin-kit';
import { createLogger } from '../../lib/adapters/runtime/logger.ts';
import { systemClock } from '../../lib/adapters/runtime/system-clock.ts';
import { execute } from '../../lib/engine/execute.ts';
import type { SharedServices } from '../../lib/engine/session.ts';
import type { Steps } from '../../lib/engine/steps.ts';
import { loadRegistry } from '../../lib/plugins/load-registry.ts';
import { compilePlan } from '../../lib/workflows/plan/compile-plan.ts';
import type { Plan } from '../../lib/workflows/plan/plan.ts';
import { installedPlugins } from '../../nodes/installed.ts';

/** A node that a chain repeats. */
export type Link = Pick<WorkflowNode, 'type' | 'parameters'>;

/** An immediate response of 1 kB, to exclude the network. */
const body = Buffer.from(JSON.stringify({ text: 'x'.repeat(1_000) }));
const services: SharedServices = {
  clock: systemClock,
  ids: { next: () => 'id' },
  http: {
    request: async ({ url }) => ({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body,
      stream: null,
      url,
    }),
  },
};
const logger = createLogger({ write: () => {} });

const registry = loadRegistry(installedPlugins, { logger, clock: systemClock });

export const compileChain = async (length: number, link: Link): Promise<Plan> => {
  const { findNodeType } = await registry;
  const ids = Array.from({ length }, (_, index) => `n${index}`);
  const nodes = [
    { id: 'start', type: 'manualTrigger', parameters: {} },
    ...ids.map((id) => ({ id, ...link })),
  ];
  const connections = ids.map((id, at) => ({ sourceNodeId: ids[at - 1] ?? 'start', targetNodeId: id }));
  return compilePlan({ id: 'bench', name: 'Bench', enabled: true, nodes, connections }, findNodeType);
};

/** @throws Error when the run does not succeed */
export const runChain = async (plan: Plan, steps: Steps): Promise<void> => {
  const { status, failure } = await execute(
    plan,
    {
      execution: {
        executionId: 'bench',
        workflowId: 'bench',
        workflowVersion: 1,
        trigger: { nodeId: 'start', type: 'manualTrigger' },
        startedAt: new Date().toISOString(),
        stage: 'test',
      },
      input: { a: 1 },
      limits: { timeoutMs: 600_000, maxNodeRuns: 1_000_000, maxOutputBytes: 1_000_000 },
    },
    {
      services,
      logger,
      steps,
      workflows: { findVersion: async () => null, loadPlan: () => Promise.reject(new Error('unused')) },
      callbacks: null,
    },
  );
  if (status !== 'succeeded') throw new Error(`the chain ${status}: ${failure?.message}`);
};
