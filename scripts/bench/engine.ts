import type { WorkflowNode } from '../../lib/contract/node.ts';
import { execute } from '../../lib/executions/engine.ts';
import { inlineSteps } from '../../lib/executions/steps.ts';
import { loadRegistry } from '../../lib/plugins/load-registry.ts';
import { createLogger } from '../../lib/services/logger.ts';
import { systemClock } from '../../lib/services/system-clock.ts';
import { compilePlan } from '../../lib/workflows/plan.ts';
import { installedPlugins } from '../../plugins/installed.ts';
import { measure, printTable } from './measure.ts';

const lengths = [10, 100, 1_000, 10_000];

const kinds: [string, Pick<WorkflowNode, 'type' | 'parameters'>][] = [
  ['merge (hands its input on)', { type: 'merge', parameters: {} }],
  ['set, no expression', { type: 'set', parameters: { values: { a: 1 } } }],
  ['set, one plain path', { type: 'set', parameters: { values: { a: '{{ a }}' } } }],
  ['set, one JSONata expression', { type: 'set', parameters: { values: { a: '{{ a + 1 }}' } } }],
];

export const benchEngine = async (): Promise<void> => {
  const logger = createLogger({ write: () => {} });
  const registry = await loadRegistry(installedPlugins, { logger, clock: systemClock });
  const ports = {
    services: {
      clock: systemClock,
      ids: { next: () => 'id' },
      http: { request: () => Promise.reject(new Error('unused')) },
    },
    logger,
    steps: inlineSteps(systemClock),
    workflows: {
      findVersion: async () => null,
      loadPlan: () => Promise.reject(new Error('unused')),
    },
    callbacks: null,
  };
  const execution = {
    executionId: 'bench',
    workflowId: 'bench',
    workflowVersion: 1,
    trigger: { nodeId: 'start', type: 'manualTrigger' },
    startedAt: new Date().toISOString(),
  };
  const limits = { timeoutMs: 60_000, maxNodeRuns: 1_000_000, maxOutputBytes: 1_000_000 };

  const rows: string[][] = [];
  for (const [name, node] of kinds) {
    const row = [name];
    for (const length of lengths) {
      const ids = Array.from({ length }, (_, index) => `n${index}`);
      const plan = compilePlan(
        {
          id: 'bench',
          name: 'Bench',
          enabled: true,
          nodes: [
            { id: 'start', type: 'manualTrigger', parameters: {} },
            ...ids.map((id) => ({ id, ...node })),
          ],
          connections: ids.map((id, index) => ({
            sourceNodeId: ids[index - 1] ?? 'start',
            targetNodeId: id,
          })),
        },
        registry.findNodeType,
      );
      const run = () => execute(plan, { execution, input: { a: 1 }, limits }, ports);
      const { status, failure } = await run();
      if (status !== 'succeeded') throw new Error(`the chain ${status}: ${failure?.message}`);
      row.push(((await measure(run)) / length).toFixed(2));
    }
    rows.push(row);
  }
  printTable('Engine: µs per node, in chains of pure nodes', ['', ...lengths.map(String)], rows);
};
