import type { ExecutionInfo, JsonObject, JsonValue, WorkflowNode } from '@hookloom/plugin-kit';
import { createExecutionStore } from '../../lib/adapters/dynamodb/executions/execution-store.ts';
import { createStateStore } from '../../lib/adapters/dynamodb/state-store.ts';
import { createWorkflowStore } from '../../lib/adapters/dynamodb/workflows/workflow-store.ts';
import { createHttpClient } from '../../lib/adapters/http-client/http-client.chunk.ts';
import { forExecution } from '../../lib/adapters/runtime/logger.ts';
import { createTcpClient } from '../../lib/adapters/tcp-client/tcp-client.chunk.ts';
import { type PollParts, runPoll } from '../../lib/app/triggers/run-poll.ts';
import { createOpenPlan, createOtherWorkflows } from '../../lib/executions/lifecycle/plans.ts';
import { unpackText } from '../../lib/executions/record/blob-store.ts';
import type { ExecutionRecord } from '../../lib/executions/record/execution-store.ts';
import { loadRegistry } from '../../lib/plugins/load-registry.ts';
import { installedPlugins } from '../../nodes/installed.ts';
import { sampleCredentials } from '../../packages/local/samples/sample-credentials.ts';
import { aKillableProcess } from './a-killable-process.ts';
import { aManualClock } from './a-manual-clock.ts';
import { aRecordingLogger } from './a-recording-logger.ts';
import { aWorkflow } from './a-workflow.ts';
import { anInlineDispatcher, keptEvents } from './an-inline-dispatcher.ts';
import { inMemoryBlobs } from './in-memory-blobs.ts';
import { filesIn } from './in-memory-files.ts';
import { anOutboundService } from './outbound-credentials.ts';
import type { useTestDatabases } from './test-database.ts';

/** A workflow that polls. */
export const aPollWorkflow = (parameters: JsonObject, changes: Partial<WorkflowNode> = {}) =>
  aWorkflow({
    id: 'news',
    nodes: [
      { id: 'feed', type: 'pollTrigger', parameters: { rate: '5 minutes', ...parameters }, ...changes },
      { id: 'note', type: 'set', parameters: { values: { seen: '{{ $input }}' } } },
    ],
    connections: [{ sourceNodeId: 'feed', targetNodeId: 'note' }],
  });

/**
 * What polls, with all its real parts, on an embedded DynamoDB.
 *
 * @param runs - whether what it starts also runs, with the credentials of the samples; otherwise it is only stored
 */
export const aPollService = async (
  database: Awaited<ReturnType<ReturnType<typeof useTestDatabases>>>,
  {
    runs = false,
    workflowId = 'news',
    plugins = [],
  }: {
    readonly runs?: boolean;
    readonly workflowId?: string;
    /** Beside the installed ones. */
    readonly plugins?: typeof installedPlugins;
  } = {},
) => {
  const { client, tables } = database;
  const clock = aManualClock();
  const { call, eachCall, killAfter } = aKillableProcess();
  const stores = {
    workflows: createWorkflowStore(client, tables, clock),
    executions: createExecutionStore(client, tables, { retentionDays: 30, clock }),
    state: createStateStore(client, tables),
  };
  const { logger, entries } = aRecordingLogger();
  const { findNodeType } = await loadRegistry([...installedPlugins, ...plugins], { logger, clock });
  const loadNodeTypes = async () => findNodeType;
  const blobs = inMemoryBlobs();
  const dispatched: string[] = [];
  const outbound = anOutboundService({ http: createHttpClient({ allow: ['127.0.0.1'] }) });
  for (const { id, type, secrets } of sampleCredentials)
    if (type === 'httpBearer') await outbound.put(id, type, secrets);
  const http = outbound.credentials;
  const tcp = createTcpClient({ allow: ['127.0.0.1'] });
  let ids = 0;
  const events = keptEvents();
  const openPlan = createOpenPlan({ loadNodeTypes, lookUpPlan: (_key, load) => load() });
  const services = {
    // A retry waits no longer than the test; timeouts are those of the clock.
    clock: {
      ...clock,
      sleep: (ms, signal) => (ms <= 1_000 ? Promise.resolve() : clock.sleep(ms, signal)),
    },
    ids: { next: () => `id-${++ids}` },
    http: { request: (request) => call(() => http.request(request)) },
    tcp: { connect: (target) => call(() => tcp.connect(target)) },
    aws: { send: () => Promise.reject(new Error('no AWS in tests')) },
  } satisfies PollParts['services'];
  const parts: PollParts = {
    executions: eachCall(stores.executions),
    state: eachCall(stores.state),
    blobs: { ...blobs, put: (key, bytes) => call(() => blobs.put(key, bytes)) },
    findWorkflow: stores.workflows.find,
    loadNodeTypes,
    otherWorkflows: createOtherWorkflows(stores.workflows, openPlan),
    services,
    filesFor: filesIn(blobs),
    outboundCredentials: outbound.credentials,
    loggerFor: (execution: ExecutionInfo) => forExecution(logger, execution),
    dispatcher: {
      dispatch: async (executionId, mode) => {
        await call(async () => void dispatched.push(executionId));
        if (runs) await run.dispatch(executionId, mode);
      },
    },
    events: events.events,
    usesOutbox: false,
    ids: services.ids,
    maxInputDepth: 32,
    clock,
    logger,
  };
  const run = anInlineDispatcher({
    ...parts,
    workflows: stores.workflows,
    openPlan,
    filesFor: filesIn(blobs),
    outboundCredentials: outbound.credentials,
  });
  let polls = 0;
  const poll = (dueAt = `due-${++polls}`, requestId = `request-${dueAt}`) =>
    runPoll({ workflowId, triggerNodeId: 'feed', dueAt }, requestId, parts);
  const records = async (): Promise<readonly ExecutionRecord[]> => {
    const { executions } = await stores.executions.list({ workflowId, limit: 100 });
    const found = await Promise.all(executions.map(({ executionId }) => stores.executions.find(executionId)));
    return found.filter((record) => record !== null);
  };
  const inputOf = async ({
    executionId,
  }: Pick<ExecutionRecord, 'executionId'>): Promise<JsonObject | null> => {
    const packed = (await stores.executions.findData(executionId))?.input ?? null;
    return packed === null || packed.startsWith('x') ? null : JSON.parse(await unpackText(packed, blobs));
  };
  return {
    stores,
    parts,
    clock,
    entries,
    events,
    killAfter,
    poll,
    records,
    inputOf,
    findNodeType,
    dispatched,
    putCredential: outbound.put,
    put: (definition = aPollWorkflow({})) => stores.workflows.put(definition, []),
    /** The keys that executions were started with: a list for each, in alphabetical order. */
    started: async (): Promise<readonly (readonly JsonValue[])[]> => {
      const inputs = await Promise.all((await records()).map(inputOf));
      const keys = inputs.flatMap((input) => {
        if (input === null) return [];
        return [Array.isArray(input.keys) ? [...input.keys].sort() : [input.key ?? null]];
      });
      return keys.sort((a, b) => (String(a) < String(b) ? -1 : 1));
    },
    /** What is remembered of the polls. */
    result: async (): Promise<JsonObject | null> => {
      const content = (await stores.state.find(`workflow:${workflowId}`, 'feed'))?.content;
      return content?.kind === 'value' ? (content.value as JsonObject) : null;
    },
  };
};
