import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '../../../lib/adapters/runtime/logger.ts';
import { systemClock } from '../../../lib/adapters/runtime/system-clock.ts';
import { execute } from '../../../lib/engine/execute.ts';
import type { SharedServices } from '../../../lib/engine/session.ts';
import { inlineSteps } from '../../../lib/engine/steps.ts';
import { loadRegistry } from '../../../lib/plugins/load-registry.ts';
import { compilePlan } from '../../../lib/workflows/plan/compile-plan.ts';
import type { Plan } from '../../../lib/workflows/plan/plan.ts';
import { installedPlugins } from '../../../nodes/installed.ts';
import { createEnvironment, createEvent, type Link, order, toChain } from '../bench-service.ts';
import { buildBundle } from '../build-bundle.ts';
import { type Start, startFresh } from '../fresh-process.ts';
import { formatSpread, measure, printTable, toFigure } from '../measure.ts';
import { openWebhookOf } from './recorded-request.ts';

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

const compileNode = async (link: Link): Promise<Plan> => {
  const { findNodeType } = await registry;
  const nodes = [
    { id: 'start', type: 'manualTrigger', parameters: {} },
    { id: 'node', ...link },
  ];
  const connections = [{ sourceNodeId: 'start', targetNodeId: 'node' }];
  return compilePlan({ id: 'bench', name: 'Bench', enabled: true, nodes, connections }, findNodeType);
};

/** @throws Error when the run does not succeed */
const runPlan = async (plan: Plan): Promise<void> => {
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
      steps: inlineSteps(systemClock),
      workflows: { findVersion: async () => null, loadPlan: () => Promise.reject(new Error('unused')) },
      callbacks: null,
    },
  );
  if (status !== 'succeeded') throw new Error(`the run ${status}: ${failure?.message}`);
};

const STARTS = 15;

/** Ten lines, as a function of this process and as the code of a node. */
const tenLines = () => {
  const items = Array.from({ length: 100 }, (_, index) => ({ category: index % 5, price: index }));
  const totals: Record<string, number> = {};
  let count = 0;
  for (const { category, price } of items) {
    if (price === 13) continue;
    totals[category] = (totals[category] ?? 0) + price;
    count += 1;
  }
  return { totals, count };
};

const BODY = `
  const items = Array.from({ length: 100 }, (_, index) => ({ category: index % 5, price: index }));
  const totals = {};
  let count = 0;
  for (const { category, price } of items) {
    if (price === 13) continue;
    totals[category] = (totals[category] ?? 0) + price;
    count += 1;
  }
  return { totals, count };`;

const EXPRESSION = `{{ (
  $items := [0..99][$ != 13].{ "category": $string($ % 5), "price": $ };
  { "totals": $items{ category: $sum(price) }, "count": $count($items) }
) }}`;

const codeNode: Link = { type: 'code', parameters: { code: BODY } };
const emptyNode: Link = { type: 'code', parameters: { code: 'return {};' } };
const expressionNode: Link = { type: 'set', parameters: { values: { result: EXPRESSION } } };

/** The cost of a code node run: warm, and the first one in a process. */
export const benchCodeNode = async (): Promise<void> => {
  await benchWarm();
  await benchFirst();
};

const benchWarm = async (): Promise<void> => {
  const running = async (link: Link) => {
    const plan = await compileNode(link);
    return () => runPlan(plan);
  };
  const calls: [string, () => unknown][] = [
    ['ten lines in this process', tenLines],
    ['a run of the same as an expression', await running(expressionNode)],
    ['a run of the same in the code node', await running(codeNode)],
    ['a run of the code node that does nothing', await running(emptyNode)],
  ];
  const figures = await measure(calls.map(([, call]) => call));
  printTable(
    'The code node, warm',
    ['', 'CPU µs', ''],
    figures.map((figure, at) => [calls[at]?.[0] ?? '', figure.median.toFixed(1), formatSpread(figure)]),
  );
};

const benchFirst = async (): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'hookloom-bench-'));
  const bundle = join(folder, 'webhook.cjs');
  await buildBundle('functions/webhook.ts', bundle);
  const event = JSON.stringify(createEvent('hello', JSON.stringify(order)));
  const kinds: { title: string; env: Record<string, string>; stop: () => void; starts: Start[] }[] = [];
  for (const [title, link] of [
    ['with the expression', expressionNode],
    ['with the code node', codeNode],
  ] as const) {
    const { endpoint, stop } = await openWebhookOf(toChain('hello', 'lastNode', [link]));
    kinds.push({ title, env: createEnvironment('webhook', endpoint), stop, starts: [] });
  }
  for (let round = 0; round < STARTS; round++) {
    for (const { env, starts } of kinds) starts.push(startFresh(bundle, env, event));
  }
  for (const { stop } of kinds) stop();
  rmSync(folder, { recursive: true });

  printTable(
    `The first request of a webhook with one node, in fresh processes (median of ${STARTS})`,
    ['CPU ms', 'import', 'first answer', '', 'second', ''],
    kinds.map(({ title, starts }) => {
      const [imported, first, second] = (['import', 'first', 'second'] as const).map((stage) =>
        toFigure(starts.map((start) => start[stage])),
      );
      if (imported === undefined || first === undefined || second === undefined) return [title];
      return [
        title,
        imported.median.toFixed(1),
        ...[first, second].flatMap((figure) => [figure.median.toFixed(1), formatSpread(figure)]),
      ];
    }),
  );
};
