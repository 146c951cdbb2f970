import type { PluginContext, PluginProvider } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import type { Context } from 'aws-lambda';
import { createAdminList } from '../../lib/app/admin-list.ts';
import { createHealthRoutes } from '../../lib/app/health.ts';
import { listPluginsRoute } from '../../lib/app/plugins.ts';
import { execute } from '../../lib/engine/execute.ts';
import { inlineSteps } from '../../lib/engine/steps.ts';
import type { InstalledPlugin } from '../../lib/plugins/installed-plugin.ts';
import { loadRegistry } from '../../lib/plugins/load-registry.ts';
import { listPlugins } from '../../lib/plugins/summaries.ts';
import { compilePlan } from '../../lib/workflows/plan/compile-plan.ts';
import { aHandle, aProvider, installedUnified } from '../support/a-plugin.ts';
import { noOtherWorkflows, silent } from '../support/a-run.ts';
import { aVirtualClock } from '../support/a-virtual-clock.ts';
import { anEvent } from '../support/an-api-event.ts';
import { anInspection } from '../support/an-inspection.ts';

const DEADLINE_MS = 2_000;

/** A plugin that brings an action of its own name. */
const aPlugin = (id: string, changes: Partial<PluginProvider> = {}): InstalledPlugin =>
  installedUnified(
    aProvider({ id, handles: [aHandle({ id, execute: () => ({ by: id }) })], ...changes }),
    id,
  );

const start = installedUnified(
  aProvider({
    id: 'start',
    handles: [aHandle({ id: 'acquireLease', kind: 'trigger', execute: (_node, input) => input })],
  }),
  'start',
);

const hangs = { init: () => new Promise<void>(() => {}) };

/** What a sandbox does with these plugins, in virtual time: how long it takes is known exactly. */
const aSandbox = async (...installed: InstalledPlugin[]) => {
  const { clock, run } = aVirtualClock();
  const begunAt = clock.now();
  const registry = await run(
    loadRegistry([start, ...installed], { logger: silent, clock, deadlineMs: DEADLINE_MS }),
  );
  /** Runs a workflow of a trigger and one node; a new one each time, as for another workflow. */
  const runWorkflow = async (type: string) => {
    const plan = compilePlan(
      {
        id: 'workflow',
        name: 'Workflow',
        enabled: true,
        nodes: [
          { id: 'first', type: 'acquireLease', parameters: {} },
          { id: 'second', type, parameters: {} },
        ],
        connections: [{ sourceNodeId: 'first', targetNodeId: 'second' }],
      },
      registry.findNodeType,
    );
    const { output, failure } = await run(
      execute(
        plan,
        {
          execution: {
            executionId: 'e-1',
            workflowId: 'workflow',
            workflowVersion: 1,
            trigger: { nodeId: 'first', type: 'acquireLease' },
            startedAt: new Date(clock.now()).toISOString(),
            stage: 'test',
          },
          input: {},
          limits: { timeoutMs: 60_000, maxNodeRuns: 10, maxOutputBytes: 1_000 },
        },
        {
          services: {
            clock,
            ids: { next: () => 'id' },
            http: { request: () => Promise.reject(new Error('no network in tests')) },
          },
          logger: silent,
          steps: inlineSteps(clock),
          workflows: noOtherWorkflows,
          callbacks: null,
        },
      ),
    );
    return failure ?? output;
  };
  return {
    registry,
    clock,
    run,
    runWorkflow,
    elapsedMs: () => clock.now() - begunAt,
    pass: (ms: number) => run(clock.sleep(ms)),
  };
};

const initialising = (id: string, calls: string[], changes: Partial<PluginProvider> = {}) =>
  aPlugin(id, { init: () => void calls.push(id), ...changes });

describe('a workflow waits only for the plugins that it uses', () => {
  test('and not for one whose init hangs', async () => {
    const { runWorkflow, elapsedMs } = await aSandbox(aPlugin('stuck', hangs), aPlugin('quick'));
    expect(await runWorkflow('quick')).toEqual({ by: 'quick' });
    expect(elapsedMs()).toBe(0);
  });

  test('and a node fails by name when its plugin’s init exceeds the deadline', async () => {
    const { runWorkflow, elapsedMs } = await aSandbox(aPlugin('stuck', hangs), aPlugin('quick'));
    expect(await runWorkflow('stuck')).toEqual({
      nodeId: 'second',
      name: 'PluginNotLoaded',
      message: 'the plugin "stuck" is not loaded: its init failed: no result within 2000 ms',
    });
    expect(elapsedMs()).toBe(DEADLINE_MS);
    expect(await runWorkflow('quick')).toEqual({ by: 'quick' });
  });

  test('and one that no workflow uses is not initialised', async () => {
    const calls: string[] = [];
    const { runWorkflow } = await aSandbox(initialising('a', calls), initialising('b', calls));
    await runWorkflow('b');
    expect(calls).toEqual(['b']);
  });

  test('and dependencies are initialised first, each once', async () => {
    const calls: string[] = [];
    const needsA = { dependencies: [{ pluginId: 'a' }] };
    const { runWorkflow, run, registry } = await aSandbox(
      initialising('c', calls, needsA),
      initialising('b', calls, needsA),
      initialising('a', calls),
      initialising('d', calls),
    );
    await runWorkflow('c');
    await runWorkflow('c');
    expect(calls).toEqual(['a', 'c']);
    await runWorkflow('b');
    expect(calls).toEqual(['a', 'c', 'b']);
    await run(registry.initialise());
    expect(calls).toEqual(['a', 'c', 'b', 'd']);
  });

  test('and a plugin whose dependency cannot be initialised names it', async () => {
    const { runWorkflow } = await aSandbox(
      aPlugin('needy', { dependencies: [{ pluginId: 'stuck' }] }),
      aPlugin('stuck', hangs),
    );
    expect(await runWorkflow('needy')).toMatchObject({
      name: 'PluginNotLoaded',
      message: 'the plugin "needy" is not loaded: it depends on the plugin "stuck", which is not loaded',
    });
  });

  test('and two workflows that first use it at once share the same init', async () => {
    let inits = 0;
    const slow = aPlugin('slow', {
      init: async ({ clock }: PluginContext) => {
        inits++;
        await clock.sleep(500);
      },
    });
    const { registry, run, elapsedMs } = await aSandbox(slow);
    const nodeType = registry.findNodeType('slow');
    await run(Promise.all([nodeType?.getExecutor(), nodeType?.getExecutor(), registry.initialise()]));
    expect([inits, elapsedMs()]).toEqual([1, 500]);
  });
});

describe('a failed init', () => {
  const failingTwice = () => {
    const seen: number[] = [];
    const init = ({ clock }: PluginContext) => {
      seen.push(clock.now());
      if (seen.length < 3) throw new Error('no licence server');
    };
    return { plugin: aPlugin('licensed', { init }), seen };
  };

  test('is retried half a minute later, and then the plugin works', async () => {
    const { plugin, seen } = failingTwice();
    const { runWorkflow, pass } = await aSandbox(plugin);
    const failure = { name: 'PluginNotLoaded', message: expect.stringContaining('no licence server') };
    expect(await runWorkflow('licensed')).toMatchObject(failure);
    await pass(29_000);
    expect(await runWorkflow('licensed')).toMatchObject(failure);
    expect(seen).toHaveLength(1);
    await pass(1_000);
    expect(await runWorkflow('licensed')).toMatchObject(failure);
    expect(seen).toHaveLength(2);
    await pass(30_000);
    expect(await runWorkflow('licensed')).toEqual({ by: 'licensed' });
    await pass(60_000);
    await runWorkflow('licensed');
    expect(seen).toHaveLength(3);
  });

  test('of a dependency is retried for its dependents', async () => {
    const { plugin } = failingTwice();
    const { runWorkflow, pass } = await aSandbox(
      plugin,
      aPlugin('needy', { dependencies: [{ pluginId: 'licensed' }] }),
    );
    for (const _attempt of [1, 2]) {
      expect(await runWorkflow('needy')).toMatchObject({ name: 'PluginNotLoaded' });
      await pass(30_000);
    }
    expect(await runWorkflow('needy')).toEqual({ by: 'needy' });
  });
});

describe('operators see the whole picture', () => {
  type Handler = (event: unknown, context: Context) => Promise<{ readonly body?: string }>;

  test('the lists wait for every init, and show which failed and why', async () => {
    const { registry, clock, run } = await aSandbox(aPlugin('stuck', hangs), aPlugin('quick'));
    const parts = { logger: silent, clock, loadRegistry: async () => registry };
    const handler = createAdminList(parts, [listPluginsRoute], listPlugins) as Handler;
    const { body } = await run(handler(anEvent(), {} as Context));
    expect(JSON.parse(body ?? '').plugins).toMatchObject([
      { id: 'start', loaded: true },
      { id: 'stuck', loaded: false, error: 'its init failed: no result within 2000 ms' },
      { id: 'quick', loaded: true },
    ]);
  });

  test('the health report does so too', async () => {
    const { registry, clock, run, elapsedMs } = await aSandbox(aPlugin('stuck', hangs), aPlugin('quick'));
    const parts = { logger: silent, clock, loadRegistry: async () => registry };
    const handler = createHealthRoutes({
      ...parts,
      inspect: anInspection(clock),
      pluginDeadlineMs: 2_000,
      openTests: () => Promise.reject(new Error('unused')),
      openStored: () => Promise.reject(new Error('unused')),
    }) as Handler;
    const { body } = await run(handler(anEvent({ path: '/api/admin/plugins/health' }), {} as Context));
    expect(JSON.parse(body ?? '')).toMatchObject({
      status: 'degraded',
      plugins: { stuck: { status: 'unhealthy' }, quick: { status: 'healthy' } },
    });
    expect(elapsedMs()).toBe(DEADLINE_MS);
  });
});

test('only a plugin whose init succeeded is destroyed', async () => {
  const destroyed: string[] = [];
  const tidying = (id: string, changes: Partial<PluginProvider> = {}) =>
    aPlugin(id, { destroy: () => void destroyed.push(id), ...changes });
  const { registry, runWorkflow, run } = await aSandbox(
    tidying('used'),
    tidying('unused'),
    tidying('broken', { init: () => Promise.reject(new Error('down')) }),
  );
  await runWorkflow('used');
  await runWorkflow('broken');
  await run(registry.destroy());
  expect(destroyed).toEqual(['used']);
});
