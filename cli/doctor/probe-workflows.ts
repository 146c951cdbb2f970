import type { Clock } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import type { ApprovalParts } from '../../lib/callbacks/list-approvals.ts';
import type { DurableService } from '../../lib/executions/lifecycle/durable-service.ts';
import { toBlobKey } from '../../lib/executions/record/blob-store.ts';
import { type ExecutionStore, isFinal } from '../../lib/executions/record/execution-store.ts';
import { type Pong, PROBE_PREFIX } from '../../lib/health/ping.ts';
import { removeWorkflow } from '../../lib/registrations/put-workflow.ts';
import type { RegistrarParts } from '../../lib/registrations/registrar.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import type { WorkflowStore } from '../../lib/workflows/definition/workflow-store.ts';
import type { Line, TimeLimit } from './line.ts';
import type { DoctorParts } from './open-doctor.ts';

interface ProbeOptions {
  /** Unique to one run of the doctor. */
  readonly token: string;
  /** When the schedule fires, in milliseconds since the epoch; null for none. */
  readonly fireAt: number | null;
  /** ARN of a queue reserved for the doctor; null for none. */
  readonly queue: string | null;
}

const NAME = 'Probe of hookloom doctor';

/**
 * Probes with one workflow per engine: a synchronous run needs neither engine, and every kind of dispatch can start
 * either workflow.
 */
export const probeWorkflows = ({
  token,
  fireAt,
  queue,
}: ProbeOptions): Readonly<Record<'express' | 'durable', WorkflowDefinition>> => ({
  express: {
    id: `${PROBE_PREFIX}${token}-express`,
    name: NAME,
    enabled: true,
    settings: { execution: 'express', recordData: 'never' },
    nodes: [
      {
        id: 'synchronous',
        type: 'webhookTrigger',
        parameters: { path: '/synchronous', responseMode: 'lastNode' },
      },
      {
        id: 'express',
        type: 'webhookTrigger',
        parameters: { path: '/express', deduplication: 'body.token' },
      },
      ...sources({ fireAt, queue }),
      { id: 'end', type: 'set', parameters: { values: { token } } },
    ],
    connections: ['synchronous', 'express', ...sources({ fireAt, queue }).map(({ id }) => id)].map(
      (sourceNodeId) => ({ sourceNodeId, targetNodeId: 'end' }),
    ),
  },
  durable: {
    id: `${PROBE_PREFIX}${token}-durable`,
    name: NAME,
    enabled: true,
    settings: { execution: 'durable', recordData: 'never' },
    nodes: [
      { id: 'durable', type: 'webhookTrigger', parameters: { path: '/durable' } },
      { id: 'callback', type: 'approval', parameters: { title: NAME, timeoutSeconds: 600 } },
    ],
    connections: [{ sourceNodeId: 'durable', targetNodeId: 'callback' }],
  },
});

/** The triggers fired by external event sources. */
const sources = ({ fireAt, queue }: Omit<ProbeOptions, 'token'>): WorkflowDefinition['nodes'] => [
  ...(fireAt === null
    ? []
    : [
        {
          id: 'schedule',
          type: 'scheduleTrigger',
          parameters: { at: new Date(fireAt).toISOString().slice(0, 19) },
        },
      ]),
  ...(queue === null ? [] : [{ id: 'queue', type: 'queueTrigger', parameters: { queue } }]),
];

/** The service that is probed. */
interface ProbedService extends ApprovalParts {
  readonly workflows: WorkflowStore;
  readonly executions: ExecutionStore;
  readonly registrar: RegistrarParts;
  readonly durableService: Pick<DurableService, 'stop'>;
  readonly doctor: DoctorParts;
  /** URL of the service; null for a deployed stage, whose functions report it. */
  readonly baseUrl: string | null;
}

export interface ProbeParts {
  readonly target: ProbedService;
  readonly io: Pick<Clock, 'now' | 'sleep'>;
  readonly findNodeType: FindNodeType;
  /** The ping responses by function key. */
  readonly pongs: ReadonlyMap<string, Pong>;
  /** Functions that can't work, each with the reason; probes that involve them are skipped. */
  readonly broken: ReadonlyMap<string, string>;
  /** ARN of the queue to probe; null for none. */
  readonly queue: string | null;
  readonly limit: TimeLimit;
  /** Called with each line as soon as it is known. */
  readonly onLine: (line: Line) => void;
  readonly onProgress: (text: string) => void;
}

type RemovalParts = Pick<ProbeParts, 'target' | 'findNodeType' | 'pongs'>;

/** Exceeds the longest run of the doctor: anything older was left behind. */
const LEFT_AFTER_MS = 900_000;

/** Removes probes of earlier runs of the doctor that ended before removing them. */
export const removeLeftProbes = async (parts: RemovalParts & Pick<ProbeParts, 'io'>): Promise<void> => {
  const { target, io } = parts;
  for (const { id, updatedAt } of await target.workflows.list())
    if (id.startsWith(PROBE_PREFIX) && Date.parse(updatedAt) < io.now() - LEFT_AFTER_MS)
      await removeProbe(id, parts);
};

/** Removes a probe with its registrations, runs, records and blobs. */
export const removeProbe = async (
  id: string,
  { target, findNodeType, pongs }: RemovalParts,
): Promise<void> => {
  await removeWorkflow(id, findNodeType, { ...target.registrar, workflows: target.workflows });
  const { executions } = await target.executions.list({ workflowId: id, limit: 100 });
  for (const { executionId } of executions) {
    const record = await target.executions.find(executionId);
    const { leaseOwner = null } = record ?? {};
    if (record !== null && !isFinal(record.status) && leaseOwner?.startsWith('arn:') === true)
      await target.durableService.stop(leaseOwner, 'its probe has ended').catch(() => undefined);
  }
  const bucket = pongs.get('webhook')?.config.blobBucket ?? null;
  for (const executionId of await target.doctor.purge(
    id,
    executions.map((one) => one.executionId),
  ))
    for (const isBrief of [true, false])
      await target.doctor.removeBlob(toBlobKey(executionId, 'input', isBrief), bucket);
};
