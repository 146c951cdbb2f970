import type { OperationUpdate } from '@aws/durable-execution-sdk-js';
import type { Clock, JsonObject, PluginHandle, PluginProvider } from '@hookloom/plugin-kit';
import type { Context } from 'aws-lambda';
import { cacheBlobs } from '../../lib/adapters/blobs/cache-blobs.ts';
import { createDurableFunction } from '../../lib/adapters/durable/durable-function.ts';
import { randomIds } from '../../lib/adapters/runtime/system-clock.ts';
import { createCallbackUrls } from '../../lib/approvals/callback-urls.ts';
import type { OutboundCredentials } from '../../lib/credentials/outbound/outbound-credentials.ts';
import { acceptExecution } from '../../lib/executions/lifecycle/accept-execution.ts';
import { createOpenPlan, createOtherWorkflows } from '../../lib/executions/lifecycle/plans.ts';
import type { BlobStore } from '../../lib/executions/record/blob-store.ts';
import type { ExecutionRecord, ExecutionStore } from '../../lib/executions/record/execution-store.ts';
import { unified } from '../../lib/plugins/installed-plugin.ts';
import { loadRegistry } from '../../lib/plugins/load-registry.ts';
import { createStateFor } from '../../lib/state/execution-state.ts';
import { createLargeValues, type LargeValueParts } from '../../lib/state/large-values.ts';
import type { StateStore } from '../../lib/state/state-store.ts';
import type {
  BackgroundMode,
  Connection,
  WorkflowDefinition,
} from '../../lib/workflows/definition/definition.ts';
import { toPathConfigs } from '../../lib/workflows/definition/to-path-configs.ts';
import credentialTypes from '../../nodes/credential-types/credential-types.plugin.ts';
import { installedPlugins } from '../../nodes/installed.ts';
import { aDurableEngine, type Saboteur } from './a-durable-engine.ts';
import { aRecordingLogger } from './a-recording-logger.ts';
import { keptEvents } from './an-inline-dispatcher.ts';
import { type Expires, inMemoryBlobs } from './in-memory-blobs.ts';
import { filesIn } from './in-memory-files.ts';
import { inMemoryValues } from './in-memory-state.ts';
import { inMemoryExecutionStore, inMemoryWorkflowStore } from './in-memory-stores.ts';

export interface BackgroundOptions {
  readonly spoilt?: Partial<ExecutionStore>;
  readonly clock?: Partial<Clock>;
  /** What the node type `call` does; by default its output are its parameters. */
  readonly call?: PluginHandle['execute'];
  /** For `call`, which takes any built-in type of them. */
  readonly outboundCredentials?: OutboundCredentials;
  readonly usesOutbox?: boolean;
  /** When blobs expire; never by default. */
  readonly expires?: Expires;
  /** Spoils the blobs. */
  readonly blobs?: (blobs: BlobStore) => BlobStore;
  /** What nodes remember; a process may crash before and after each call of it. */
  readonly state?: StateStore;
  /** Where large ones of them are stored; likewise. */
  readonly values?: Pick<LargeValueParts, 'blobs' | 'checks'>;
}

/** A chain of nodes, or any graph: connections are `a -> b` or `a.output -> b`. */
export interface AFlow {
  readonly id?: string;
  readonly trigger?: string;
  readonly nodes: readonly {
    readonly id: string;
    readonly type: string;
    readonly parameters?: JsonObject;
    readonly credentialId?: string;
    readonly disabled?: boolean;
    readonly settings?: NonNullable<WorkflowDefinition['nodes'][0]['settings']>;
  }[];
  readonly edges: readonly string[];
  readonly settings?: WorkflowDefinition['settings'];
  readonly format?: 1 | 2;
}

export const aFlow = ({
  id = 'order',
  trigger = 'webhookTrigger',
  nodes,
  edges,
  settings,
  format,
}: AFlow): WorkflowDefinition => ({
  id,
  name: id,
  enabled: true,
  nodes: [
    { id: 'start', type: trigger, parameters: {} },
    ...nodes.map(({ parameters = {}, ...node }) => ({ ...node, parameters })),
  ],
  connections: edges.map((edge): Connection => {
    const [, sourceNodeId = '', sourceOutput = 'main', targetNodeId = ''] =
      /^([\w-]+)(?:\.(\w+))? -> ([\w-]+)$/.exec(edge) ?? [];
    return { sourceNodeId, sourceOutput, targetNodeId };
  }),
  ...(settings === undefined ? {} : { settings }),
  ...(format === undefined ? {} : { format }),
});

/** Never ends: waits take place between processes. */
const sleepUntilAborted: Clock['sleep'] = (_ms, signal) =>
  new Promise((_resolve, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

const crashing = <Store extends object>(store: Store, pass: () => Promise<void>): Store =>
  Object.fromEntries(
    Object.entries(store).map(([name, call]) => [
      name,
      async (...args: unknown[]) => {
        await pass();
        const result = await (call as (...given: unknown[]) => Promise<unknown>)(...args);
        await pass();
        return result;
      },
    ]),
  ) as unknown as Store;

/**
 * The function for durable runs with all its real parts, on an in-memory engine and stores. The node type `call` is a
 * step; `called` has the calls.
 */
export const aBackgroundService = async (options: BackgroundOptions = {}) => {
  const { logger, entries } = aRecordingLogger();
  const large = options.values ?? inMemoryValues();
  const clock: Clock = { now: () => Date.now(), sleep: sleepUntilAborted, ...options.clock };
  const called: string[] = [];
  const outside: PluginProvider = {
    id: 'outside',
    name: 'Outside',
    version: '1.0.0',
    description: 'For tests',
    category: 'test',
    handles: [
      {
        id: 'call',
        name: 'Call',
        description: 'Touches the outside',
        kind: 'action',
        schema: { type: 'object' },
        credentialTypes: (credentialTypes.credentialTypes ?? []).map(({ id }) => id),
        execute: (node, input, context) => {
          called.push(context.idempotencyKey.split('/').slice(1).join('/'));
          return (options.call ?? (() => node.parameters))(node, input, context);
        },
      },
    ],
  };
  const installed = [...installedPlugins, unified('outside', async () => ({ default: outside }))];
  const registry = await loadRegistry(installed, { logger, clock });
  const workflows = inMemoryWorkflowStore();
  const executions = inMemoryExecutionStore();
  const stored = inMemoryBlobs(clock.now, options.expires);
  const blobs = { ...cacheBlobs(options.blobs?.(stored) ?? stored), keys: stored.keys };
  const openPlan = createOpenPlan({
    loadNodeTypes: async () => registry.findNodeType,
    lookUpPlan: (_key, load) => load(),
  });
  let ids = 0;
  const kept = keptEvents();
  const parts = {
    executions: { ...executions, ...options.spoilt },
    workflows,
    openPlan,
    outboundCredentials: options.outboundCredentials,
    otherWorkflows: createOtherWorkflows(workflows, openPlan),
    blobs,
    events: kept.events,
    usesOutbox: options.usesOutbox ?? false,
    services: {
      clock,
      ids: { next: () => `id-${ids++}` },
      http: options.outboundCredentials ?? {
        request: () => Promise.reject(new Error('no network in tests')),
      },
    },
    filesFor: filesIn(stored, { executions }),
    logger,
    loggerFor: () => logger,
  };
  const urls: string[] = [];
  const openCallbackUrls = (record: Parameters<typeof createCallbackUrls>[1]) =>
    createCallbackUrls(
      {
        executions: parts.executions,
        clock,
        publicUrl: 'https://example.com',
        onOpen: (url) => urls.push(url),
      },
      record,
    );

  return {
    parts,
    findNodeType: registry.findNodeType,
    workflows,
    executions,
    blobs,
    /** The blobs without a cache. */
    stored,
    entries,
    called,
    urls,
    published: kept.published,
    ends: kept.ends,
    put: (definition: WorkflowDefinition) => workflows.put(definition, toPathConfigs(definition)),
    /** As the webhook function accepts it, without the dispatch. */
    accept: async (
      executionId = 'e-1',
      {
        input = { body: {} },
        workflowId = 'order',
        mode = 'durable',
        held = null,
      }: {
        input?: JsonObject;
        workflowId?: string;
        mode?: BackgroundMode;
        held?: ExecutionRecord['held'];
      } = {},
    ) => {
      const workflow = await workflows.find(workflowId);
      if (workflow === null) throw new Error(`there is no workflow ${workflowId}`);
      const [trigger] = workflow.definition.nodes;
      await acceptExecution(
        {
          executionId,
          workflow,
          trigger: { nodeId: trigger?.id ?? '', type: trigger?.type ?? '' },
          input,
          keepsResult: true,
          traceparent: null,
        },
        { mode, startedAt: clock.now(), isRepeatable: false, held: held && { reason: held } },
        { ...parts, ids: parts.services.ids, clock, dispatcher: { dispatch: async () => {} } },
      );
      return executionId;
    },
    /** Runs it to the end on the durable engine. */
    run: (
      executionId = 'e-1',
      engine: {
        answer?: (callbackId: string) => unknown;
        saboteur?: Saboteur;
        refuses?: (update: OperationUpdate) => boolean;
        /** Runs before each process. @param now - the engine's time, in milliseconds since the epoch */
        between?: (now: number) => Promise<void>;
        maxOperations?: number;
      } = {},
    ) => {
      const { between, maxOperations, ...rest } = engine;
      const durable = aDurableEngine({
        input: { executionId },
        createHandler: (client, pass) => {
          const store = options.state && crashing(options.state, pass);
          const values = createLargeValues({
            blobs: crashing(large.blobs, pass),
            checks: crashing(large.checks, pass),
            ids: randomIds,
          });
          const handler = createDurableFunction({
            ...parts,
            ...(store && {
              stateFor: createStateFor({ store, values, clock: { ...clock, sleep: async () => {} } }),
            }),
            client,
            openCallbackUrls,
            ...(maxOperations === undefined ? {} : { maxOperations }),
          });
          return async (event, context: Context) => {
            await between?.(durable.now());
            return handler(event, context);
          };
        },
        ...rest,
      });
      return durable.run();
    },
  };
};

export type BackgroundService = Awaited<ReturnType<typeof aBackgroundService>>;
