import { setImmediate } from 'node:timers/promises';
import {
  type ExecutionInfo,
  emit,
  type Ids,
  type JsonValue,
  type PluginHandle,
  type PluginProvider,
} from '@hookloom/plugin-kit';
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { createLogger, forExecution } from '../../lib/adapters/runtime/logger.ts';
import { createSweepFunction } from '../../lib/app/sweep-handler.ts';
import { createWebhookFunction, type WebhookSettings } from '../../lib/app/webhook-handler.ts';
import type { Credential, CredentialStore } from '../../lib/credentials/credential.ts';
import type { OutboundCredentials } from '../../lib/credentials/outbound/outbound-credentials.ts';
import type { StrayErrorGuard } from '../../lib/engine/failure.ts';
import type { DeliveryStore } from '../../lib/executions/delivery-store.ts';
import { createNudgeAfterEnd, type HeldQueues } from '../../lib/executions/held-queues.ts';
import { cancelExecution } from '../../lib/executions/lifecycle/cancel-execution.ts';
import { createOpenPlan, createOtherWorkflows } from '../../lib/executions/lifecycle/plans.ts';
import type { Dispatcher } from '../../lib/executions/ports.ts';
import type { ExecutionStore } from '../../lib/executions/record/execution-store.ts';
import { unified } from '../../lib/plugins/installed-plugin.ts';
import { loadRegistry } from '../../lib/plugins/load-registry.ts';
import type { FeatureName } from '../../lib/webhooks/features/features.ts';
import { createOpenFeatures } from '../../lib/webhooks/features/open-features.ts';
import { createTakeSlot } from '../../lib/webhooks/limits/take-slot.ts';
import { createRecordRequest, createRefusalSlots } from '../../lib/webhooks/requests/record-request.ts';
import type { RequestStore } from '../../lib/webhooks/requests/request-store.ts';
import type { FeaturePorts } from '../../lib/webhooks/webhook-feature.ts';
import type { Connection, WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import type { PathConfig } from '../../lib/workflows/definition/path-config.ts';
import { toPublished } from '../../lib/workflows/definition/to-path-configs.ts';
import type { WorkflowStore } from '../../lib/workflows/definition/workflow-store.ts';
import { installedPlugins } from '../../nodes/installed.ts';
import { aManualClock } from './a-manual-clock.ts';
import { anInlineDispatcher, keptEvents } from './an-inline-dispatcher.ts';
import { featurePorts } from './feature-ports.ts';
import { inMemoryBlobs } from './in-memory-blobs.ts';
import { filesIn } from './in-memory-files.ts';
import {
  inMemoryCredentialStore,
  inMemoryDeliveryStore,
  inMemoryExecutionStore,
  inMemoryRequestStore,
  inMemorySlots,
  inMemoryWorkflowStore,
} from './in-memory-stores.ts';
import { inMemoryUploads } from './in-memory-uploads.ts';

const handle = (id: string, execute: PluginHandle['execute']): PluginHandle => ({
  id,
  name: id,
  description: 'For tests',
  kind: 'action',
  schema: { type: 'object' },
  pure: true,
  execute,
});

/** Nodes that do what a workflow should better not do. */
const misbehaving: PluginProvider = {
  id: 'misbehaving',
  name: 'Misbehaving',
  version: '1.0.0',
  description: 'For tests',
  category: 'test',
  handles: [
    handle('fails', () => {
      throw new Error('the shop is closed');
    }),
    handle('hangs', () => new Promise(() => {})),
    handle('repeats', ({ parameters }) => ({ text: 'x'.repeat(Number(parameters.times)) })),
    handle('answersRaw', ({ parameters }) => emit({ response: parameters })),
  ],
};

/** Identifiers that the test can foretell: `execution-1`, `execution-2`, … */
const idsFrom = (prefix: string): Ids => {
  let count = 0;
  return {
    next: () => {
      count += 1;
      return `${prefix}-${count}`;
    },
  };
};

/** There are no durable executions to stop: background runs are express. */
const durableService = { stop: async () => {} };

export interface AWorkflow {
  readonly format?: WorkflowDefinition['format'];
  readonly id?: string;
  readonly enabled?: boolean;
  /** What of the trigger is not `POST /orders`, without authentication, answered by the last node. */
  readonly webhook?: Partial<Omit<PathConfig, 'triggerNodeId' | 'features'>> &
    Partial<Record<FeatureName, JsonValue>> & { readonly methods?: readonly string[] };
  /** The nodes after the trigger, one after the other; `type` and `parameters`, ids are `node-1`, `node-2`, … */
  readonly chain?: readonly {
    readonly type: string;
    readonly parameters?: WorkflowDefinition['nodes'][0]['parameters'];
    readonly credentialId?: string;
    readonly settings?: NonNullable<WorkflowDefinition['nodes'][0]['settings']>;
  }[];
  readonly isTriggerDisabled?: boolean;
  readonly settings?: WorkflowDefinition['settings'];
}

export interface ServiceOptions {
  /** Installed beside the others. */
  readonly plugins?: readonly PluginProvider[];
  readonly guard?: StrayErrorGuard;
  readonly outboundCredentials?: OutboundCredentials;
  readonly settings?: Partial<WebhookSettings>;
  /** Background runs go on behind the answer; else a dispatch resolves when they have ended. */
  readonly runsBehind?: boolean;
  readonly spoilt?: {
    readonly workflows?: Partial<WorkflowStore>;
    readonly credentials?: Partial<CredentialStore>;
    readonly executions?: Partial<ExecutionStore>;
    readonly deliveries?: Partial<DeliveryStore>;
    readonly dispatcher?: Partial<Dispatcher>;
    readonly features?: Partial<FeaturePorts>;
    readonly requests?: Partial<RequestStore>;
    readonly queues?: Partial<HeldQueues>;
  };
}

/**
 * The webhook function with all its real parts: registry, engine, nodes, middleware. Only the stores are in memory,
 * time stands still, and the log is kept line by line.
 */
export const aWebhookService = async ({
  settings = {},
  spoilt = {},
  plugins = [],
  guard,
  outboundCredentials,
  runsBehind = false,
}: ServiceOptions = {}) => {
  const clock = aManualClock();
  const lines: string[] = [];
  const logger = createLogger({ clock, write: (line) => lines.push(line) });
  const workflows = inMemoryWorkflowStore();
  const credentials = inMemoryCredentialStore();
  const executions = inMemoryExecutionStore();
  const requests = inMemoryRequestStore();
  const installed = [
    ...installedPlugins,
    ...[misbehaving, ...plugins].map((plugin) => unified(plugin.id, async () => ({ default: plugin }))),
  ];
  const registry = await loadRegistry(installed, { logger, clock });
  const services = {
    clock,
    ids: idsFrom('execution'),
    http: outboundCredentials ?? { request: () => Promise.reject(new Error('no network in tests')) },
  };
  const openPlan = createOpenPlan({
    loadNodeTypes: async () => registry.findNodeType,
    lookUpPlan: (_key, load) => load(),
  });
  const kept = keptEvents();
  const blobs = inMemoryBlobs();
  const uploads = inMemoryUploads(blobs);
  const background = {
    outboundCredentials,
    workflows: { ...workflows, ...spoilt.workflows },
    executions: { ...executions, ...spoilt.executions },
    blobs,
    ...kept,
    openPlan,
    otherWorkflows: createOtherWorkflows({ ...workflows, ...spoilt.workflows }, openPlan),
    services,
    filesFor: filesIn(blobs),
    logger,
    loggerFor: (execution: ExecutionInfo) => forExecution(logger, execution),
    afterEnd: createNudgeAfterEnd(async (queue, ended) => void (await sweep({ queue, ended })), logger),
  };
  const slots = inMemorySlots();
  const cancel = (executionId: string) =>
    cancelExecution(executionId, { ...background, clock, durableService });
  const inline = anInlineDispatcher(background);
  const behind: Dispatcher = { dispatch: async (id, mode) => void inline.dispatch(id, mode) };
  const dispatcher = runsBehind ? behind : inline;
  const sweep = createSweepFunction({
    ...background,
    dispatcher: { ...dispatcher, ...spoilt.dispatcher },
    durableService: { ...durableService, findStatus: async () => 'gone', answerCallback: async () => false },
    queues: { ...executions.queues, ...spoilt.queues },
    takeSlot: createTakeSlot({ slots, executions: background.executions, clock, knownMs: 0 }),
    noteVersions: async () => null,
    checkValues: async () => ({ checked: 0, removed: 0 }),
    clock: { ...clock, sleep: async (ms) => clock.advance(ms) },
  });
  const handler = createWebhookFunction({
    ...background,
    credentials: { ...credentials, ...spoilt.credentials },
    deliveries: { ...inMemoryDeliveryStore(), ...spoilt.deliveries },
    dispatcher: { ...dispatcher, ...spoilt.dispatcher },
    openFeatures: createOpenFeatures(
      featurePorts({
        clock,
        http: services.http,
        ...(outboundCredentials === undefined ? {} : { credentials: outboundCredentials }),
        executions: background.executions,
        openUploads: () => uploads,
        slots,
        queues: executions.queues,
        cancelExecution: cancel,
        ...spoilt.features,
      }),
    ),
    recordRequest: createRecordRequest({
      store: { ...requests, ...spoilt.requests },
      slots: createRefusalSlots(() => 0),
      clock,
      ids: services.ids,
      logger,
    }),
    catchRequest: async () => null,
    limitCallsToSelf: async () => async () => {},
    settings,
    guard,
  });

  return {
    clock,
    /** Lets time pass, in small steps: a timer that fires may set another. */
    passTime: async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += 100) {
        await setImmediate();
        clock.advance(100);
      }
      await setImmediate();
    },
    lines,
    workflows,
    credentials,
    executions,
    requests,
    blobs,
    uploads,
    kept,
    /** The sweeper. */
    sweep,
    cancel,
    /** Calls the function as Lambda does. */
    call: (event: unknown, context: Partial<Context> = {}): Promise<APIGatewayProxyStructuredResultV2> =>
      handler(
        event as never,
        { awsRequestId: 'aws-1', getRemainingTimeInMillis: () => 30_000, ...context } as Context,
      ),
    put: ({
      format,
      id = 'shop',
      enabled = true,
      webhook,
      chain = [],
      isTriggerDisabled = false,
      settings: own,
    }: AWorkflow = {}) => {
      const nodes = chain.map(({ parameters = {}, ...node }, at) => ({
        id: `node-${at + 1}`,
        parameters,
        ...node,
      }));
      const connections = nodes.map(
        (node, at): Connection => ({
          sourceNodeId: at === 0 ? 'start' : `node-${at}`,
          targetNodeId: node.id,
        }),
      );
      const { credentialId = null, ...parameters } = {
        path: '/orders',
        responseMode: 'lastNode',
        ...webhook,
      };
      const trigger = {
        id: 'start',
        type: 'webhookTrigger',
        parameters,
        disabled: isTriggerDisabled,
        ...(credentialId === null ? {} : { credentialId }),
      };
      const definition: WorkflowDefinition = {
        id,
        name: id,
        enabled,
        nodes: [trigger, ...nodes],
        connections,
        ...(own === undefined ? {} : { settings: own }),
        ...(format === undefined ? {} : { format }),
      };
      const published = toPublished(definition, registry.findNodeType);
      const execution = own?.execution ?? 'durable'; // also for pure nodes
      return workflows.put(
        definition,
        published.map((config) => ({ ...config, execution })),
      );
    },
    putCredential: (credential: Credential) => credentials.put(credential),
  };
};

export type WebhookService = Awaited<ReturnType<typeof aWebhookService>>;
