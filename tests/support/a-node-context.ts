import type {
  DeliveredInput,
  JsonObject,
  NodeContext,
  NodeExecutor,
  NodeResult,
  OutboundRequest,
  OutboundResponse,
  WorkflowNode,
} from '@hookloom/plugin-kit';
import { aManualClock } from './a-manual-clock.ts';
import { aRecordingLogger } from './a-recording-logger.ts';
import { inMemoryFiles } from './in-memory-files.ts';

/** What one connection delivered: `data` of `sourceNodeId`, from and to the usual port. */
export const aDelivery = (sourceNodeId: string, data: JsonObject): DeliveredInput => ({
  sourceNodeId,
  sourceOutput: 'main',
  targetInput: 'main',
  data,
});

export const aNode = (type: string, parameters: JsonObject = {}): WorkflowNode => ({
  id: 'node-1',
  type,
  parameters,
});

/** The first attempt of a node outside of loops, at a time that stands still, with no network. */
export const aNodeContext = (changes: Partial<NodeContext> = {}): NodeContext => ({
  execution: {
    executionId: 'execution-1',
    workflowId: 'shop',
    workflowVersion: 1,
    trigger: { nodeId: 'start', type: 'manualTrigger' },
    startedAt: '2023-11-14T22:13:20.000Z',
    stage: 'test',
  },
  attempt: 1,
  iteration: 0,
  inputs: [],
  logger: aRecordingLogger().logger,
  signal: new AbortController().signal,
  remainingMs: () => 30_000,
  services: {
    clock: aManualClock(),
    ids: { next: () => 'id-1' },
    http: { request: () => Promise.reject(new Error('no network in this test')) },
    tcp: { connect: () => Promise.reject(new Error('no network in this test')) },
    files: inMemoryFiles(),
    aws: { send: () => Promise.reject(new Error('no AWS in this test')) },
    state: { run: () => Promise.reject(new Error('no state in this test')) },
  },
  idempotencyKey: 'execution-1/node-1/0',
  control: null,
  credential: null,
  addUsage: () => {},
  ...changes,
});

/** Runs what executes a node of this type; a throw becomes a rejection, as it does in the engine. */
export const runNode = async (
  { execute }: Pick<NodeExecutor, 'execute'>,
  type: string,
  parameters: JsonObject,
  input: JsonObject = {},
  context: NodeContext = aNodeContext(),
): Promise<NodeResult> => execute(aNode(type, parameters), input, context);

/** A context whose HTTP client keeps its requests, and answers with `{"ok":true}` by default. */
export const aContextAnswering = (answer: Partial<OutboundResponse> = {}) => {
  const requests: OutboundRequest[] = [];
  const context = aNodeContext();
  const http = {
    request: async (request: OutboundRequest): Promise<OutboundResponse> => {
      requests.push(request);
      return {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: Buffer.from('{"ok":true}'),
        stream: null,
        url: request.url,
        ...answer,
      };
    },
  };
  return { requests, context: { ...context, services: { ...context.services, http } } };
};
