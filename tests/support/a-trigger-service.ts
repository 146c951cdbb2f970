import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject, WorkflowNode } from '@hookloom/plugin-kit';
import { afterEach } from '@jest/globals';
import { createOpenRegistrationContext } from '../../lib/adapters/aws/registration-context.ts';
import { withSchedules } from '../../lib/app/compose/triggers.ts';
import { createDispatchFunction } from '../../lib/app/triggers/dispatch-handler.ts';
import { putWorkflow, removeWorkflow } from '../../lib/triggers/registrations/put-workflow.ts';
import { reconcileAll } from '../../lib/triggers/registrations/sweep-registrations.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import { installedPlugins } from '../../nodes/installed.ts';
import { startSources } from '../../packages/local/sources/start-sources.ts';
import { aKillableProcess } from './a-killable-process.ts';
import { anEventService } from './a-queue-trigger.ts';
import { inMemoryRegistrations } from './in-memory-registrations.ts';

const ROOT = 'arn:aws:sqs:us-east-1:000000000000:';

export const aSchedule = (rate: string, id = 'hourly'): WorkflowNode => ({
  id,
  type: 'scheduleTrigger',
  parameters: { rate },
});

export const aRule = (source: string, id = 'upload'): WorkflowNode => ({
  id,
  type: 'eventTrigger',
  parameters: { pattern: { source: [source] } },
});

export const aQueue = (name: string, parameters: JsonObject = {}, id = 'arrival'): WorkflowNode => ({
  id,
  type: 'queueTrigger',
  parameters: { queue: `${ROOT}${name}`, ...parameters },
});

interface Options {
  /** In place of the endpoint of the sources, such as that of a proxy before it. */
  readonly through?: (endpoint: string) => Promise<string>;
  /** What the function does with an event; starts its execution when absent. */
  readonly handle?: ((event: JsonObject) => Promise<unknown>) | undefined;
}

/**
 * The trigger types, registered over HTTP with the sources of this machine, which invoke the real dispatch function. Every
 * call of a store and of an API can be the one before which the process is killed.
 */
export const useTriggerServices = () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  return async ({ through = async (endpoint) => endpoint, handle }: Options = {}) => {
    const service = await anEventService({
      plugins: installedPlugins.filter(({ id }) => id === 'triggers' || id === 'eventTrigger'),
    });
    const { clock, findNodeType, stores } = service;
    const { call, eachCall, killAfter } = aKillableProcess();
    const stored = inMemoryRegistrations(clock);
    const dispatch = createDispatchFunction({ ...service.parts, registrations: stored });
    const invoked: JsonObject[] = [];
    let pending: Promise<unknown>[] = [];
    const pool = {
      invoke: ({ event }: { readonly event: unknown }) => {
        invoked.push(event as JsonObject);
        const invocation = (handle ?? dispatch)(event as JsonObject);
        pending.push(invocation.catch(() => {}));
        return invocation;
      },
    };
    const lines: string[] = [];
    const folder = mkdtempSync(join(tmpdir(), 'hookloom-sources-'));
    cleanups.push(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'sources.json');
    const sources = await startSources({ file, pool, log: (line) => lines.push(line) });
    cleanups.push(sources.stop);
    const openContext = createOpenRegistrationContext({
      prefix: 'hookloom-test',
      region: 'us-east-1',
      endpoint: await through(sources.endpoint),
      readCredentials: () => ({ accessKeyId: 'key', secretAccessKey: 'secret' }),
      now: clock.now,
    });
    const workflows = eachCall(stores.workflows);
    const parts = {
      registrations: eachCall(stored),
      workflows,
      clock,
      logger: service.parts.logger,
      findNodeType,
      loadNodeTypes: async () => findNodeType,
      readVariables: async () => ({}),
      openContext: async () => {
        const context = await openContext();
        const { callAws } = context;
        return withSchedules({ ...context, callAws: (request) => call(() => callAws(request)) });
      },
    };
    const post = async (service: string, target: string, body: JsonObject) => {
      const { callAws } = await openContext();
      const headers = { 'x-amz-target': target };
      return callAws({ service, method: 'POST', path: '/', headers, body });
    };
    return {
      ...service,
      dispatch,
      invoked,
      lines,
      killAfter,
      registrations: stored,
      openContext,
      put: (definition: WorkflowDefinition) => putWorkflow(definition, parts),
      remove: (workflowId: string) => removeWorkflow(workflowId, parts),
      sweep: () => reconcileAll(parts),
      /** What registers triggers and sweeps their registrations. */
      registrar: parts,
      putEvent: (source: string, more: JsonObject = {}) =>
        post('events', 'AWSEvents.PutEvents', {
          Entries: [{ Source: source, DetailType: 'Happened', Detail: '{}', ...more }],
        }),
      sendMessage: (queue: string, more: JsonObject = {}) =>
        post('sqs', 'AmazonSQS.SendMessage', {
          QueueUrl: `http://localhost/000000000000/${queue}`,
          MessageBody: '{}',
          ...more,
        }),
      /** Resolves when all that was invoked so far has ended. */
      settled: async () => {
        while (pending.length > 0) {
          const before = pending;
          pending = [];
          await Promise.all(before);
        }
      },
      records: async () => (await stores.executions.list({ workflowId: 'orders', limit: 1_000 })).executions,
      /** What is registered: `rate(1 hour)`, `rule ["a"]`, `queue NAME 10`, in alphabetical order. */
      outside: (): readonly string[] =>
        existsSync(file) ? describeState(JSON.parse(readFileSync(file, 'utf8'))) : [],
    };
  };
};

type Saved = Readonly<Record<'schedules' | 'rules' | 'mappings', readonly (readonly [string, Outside])[]>>;

interface Outside {
  readonly definition: Readonly<Record<string, unknown>>;
  readonly pattern: { readonly source: readonly string[] };
  readonly targets: object;
  readonly source: string;
}

const describeState = ({ schedules, rules, mappings }: Saved): readonly string[] =>
  [
    ...schedules.map(([, { definition }]) => String(definition.ScheduleExpression)),
    ...rules.map(
      ([, { pattern, targets }]) =>
        `rule ${JSON.stringify(pattern.source)}${Object.keys(targets).length === 0 ? ' without target' : ''}`,
    ),
    ...mappings.map(
      ([, { source, definition }]) => `queue ${source.slice(ROOT.length)} ${definition.BatchSize}`,
    ),
  ].sort();
