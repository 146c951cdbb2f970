import type {
  EventSource,
  ExecutionInfo,
  JsonObject,
  PluginProvider,
  TriggerProvider,
} from '@hookloom/plugin-kit';
import { createLogger, forExecution } from '../../lib/adapters/runtime/logger.ts';
import { createNotify } from '../../lib/app/compose/open-notify.chunk.ts';
import { createEventFunction } from '../../lib/app/triggers/event-handler.ts';
import type { OpenNotify } from '../../lib/app/triggers/notify.ts';
import type { DeliveryStore } from '../../lib/executions/delivery-store.ts';
import { createOpenPlan, createOtherWorkflows } from '../../lib/executions/lifecycle/plans.ts';
import type { ExecutionStore } from '../../lib/executions/record/execution-store.ts';
import { type InstalledPlugin, legacyTrigger, unified } from '../../lib/plugins/installed-plugin.ts';
import { loadRegistry } from '../../lib/plugins/load-registry.ts';
import type { WorkflowStore } from '../../lib/workflows/definition/workflow-store.ts';
import { installedPlugins } from '../../nodes/installed.ts';
import { aManualClock } from './a-manual-clock.ts';
import { anInlineDispatcher, keptEvents } from './an-inline-dispatcher.ts';
import { inMemoryBlobs } from './in-memory-blobs.ts';
import { filesIn } from './in-memory-files.ts';
import { inMemoryNotices } from './in-memory-notices.ts';
import { inMemoryDeliveryStore, inMemoryExecutionStore, inMemoryWorkflowStore } from './in-memory-stores.ts';

/** A trigger that messages of an SQS queue fire: as an author declares it, not built in. */
const source: EventSource = {
  toAddress: ({ messageAttributes }) => {
    const attributes = messageAttributes as Readonly<Record<string, { readonly stringValue: string }>>;
    return {
      workflowId: attributes.workflowId?.stringValue ?? '',
      triggerNodeId: attributes.triggerNodeId?.stringValue ?? '',
    };
  },
  toInput: ({ body }) => ({ message: JSON.parse(String(body)) }),
  toKey: ({ messageId }) => String(messageId),
};

export const aQueuePlugin = (firedBy = source): PluginProvider => ({
  id: 'queue',
  name: 'Queue',
  version: '1.0.0',
  description: 'For tests',
  category: 'test',
  handles: [
    {
      id: 'messageTrigger',
      name: 'Queue trigger',
      description: 'Starts the workflow when a message arrives',
      kind: 'trigger',
      firedBy,
      schema: { type: 'object', additionalProperties: false },
      execute: (_node, input) => ({ ...input, triggerType: 'queue' }),
    },
  ],
});

/** The same by the legacy API. */
const legacyQueueTrigger = (firedBy: EventSource): TriggerProvider => ({
  nodeType: 'messageTrigger',
  displayName: 'Queue trigger',
  description: 'Starts the workflow when a message arrives',
  category: 'test',
  version: '1.0.0',
  firedBy,
  properties: [],
  getExecutor: () => ({
    getNodeType: () => 'messageTrigger',
    execute: (_node, input) => ({ ...input, triggerType: 'queue' }),
  }),
});

/** As Lambda receives it: https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html */
export const aMessage = (changes: JsonObject = {}): JsonObject => ({
  messageId: '059f36b4-87a3-44ab-83d2-661975830a7d',
  receiptHandle: 'AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a',
  body: '{"total":7}',
  attributes: { ApproximateReceiveCount: '1', SentTimestamp: '1545082649183' },
  messageAttributes: {
    workflowId: { stringValue: 'orders', dataType: 'String' },
    triggerNodeId: { stringValue: 'arrival', dataType: 'String' },
  },
  md5OfBody: '098f6bcd4621d373cade4e832627b4f6',
  eventSource: 'aws:sqs',
  eventSourceARN: 'arn:aws:sqs:us-east-2:123456789012:my-queue',
  awsRegion: 'us-east-2',
  ...changes,
});

export const aBatch = (...messages: readonly JsonObject[]) => ({ Records: messages });

interface Options {
  /** Beside the trigger; all that are installed when absent. */
  readonly plugins?: readonly InstalledPlugin[];
  readonly api?: 'unified' | 'legacy';
  readonly firedBy?: Partial<EventSource>;
  readonly stores?: {
    readonly workflows: WorkflowStore;
    readonly executions: ExecutionStore;
    readonly deliveries: DeliveryStore;
  };
}

export const inMemoryStores = () => ({
  workflows: inMemoryWorkflowStore(),
  executions: inMemoryExecutionStore(),
  deliveries: inMemoryDeliveryStore(),
});

/** The function of the queue's trigger, with all its real parts; what it starts is run on the express function. */
export const anEventService = async ({
  plugins = installedPlugins,
  api = 'unified',
  firedBy = {},
  stores = inMemoryStores(),
}: Options = {}) => {
  const clock = aManualClock();
  const lines: string[] = [];
  const logger = createLogger({ clock, write: (line) => lines.push(line) });
  const own = { ...source, ...firedBy };
  const installed =
    api === 'unified'
      ? unified('queue', async () => ({ default: aQueuePlugin(own) }))
      : legacyTrigger('messageTrigger', async () => ({ default: legacyQueueTrigger(own) }));
  const { findNodeType } = await loadRegistry([...plugins, installed], { logger, clock });
  const openPlan = createOpenPlan({
    loadNodeTypes: async () => findNodeType,
    lookUpPlan: (_key, load) => load(),
  });
  let ids = 0;
  const blobs = inMemoryBlobs();
  const background = {
    ...stores,
    ...keptEvents(),
    blobs,
    filesFor: filesIn(blobs),
    openPlan,
    otherWorkflows: createOtherWorkflows(stores.workflows, openPlan),
    services: {
      clock,
      ids: { next: () => `id-${++ids}` },
      http: { request: () => Promise.reject(new Error('no network in tests')) },
    },
    logger,
    loggerFor: (execution: ExecutionInfo) => forExecution(logger, execution),
  };
  const { dispatch } = anInlineDispatcher(background);
  const dispatched: string[] = [];
  const notices = inMemoryNotices();
  const parts = {
    ...background,
    clock,
    openNotify: (async (...given) =>
      createNotify(
        { ...background, ...stores, store: notices, clock, stage: 'test', terminal: null },
        ...given,
      )) satisfies OpenNotify,
    ids: background.services.ids,
    windowMs: 86_400_000,
    maxInputDepth: 100,
    readVariables: async () => ({}),
    loadNodeTypes: async () => findNodeType,
    dispatcher: {
      dispatch: async (executionId: string, mode: 'durable' | 'express') => {
        dispatched.push(mode);
        if (mode === 'express') await dispatch(executionId, mode);
      },
    },
  };
  return {
    stores,
    notices,
    parts,
    clock,
    findNodeType,
    /** The modes of what was dispatched. */
    dispatched,
    logged: (): readonly JsonObject[] => lines.map((line) => JSON.parse(line)),
    call: (event: unknown, nodeType = 'messageTrigger') => createEventFunction(nodeType, parts)(event),
  };
};
