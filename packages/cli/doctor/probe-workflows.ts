import type { describeSummary } from '../../../lib/executions/record/describe-execution.ts';
import { isFinal } from '../../../lib/executions/record/execution-store.ts';
import { PROBE_PREFIX } from '../../../lib/health/ping.ts';
import type { WorkflowDefinition } from '../../../lib/workflows/definition/definition.ts';
import type { DoctorApi } from './ask-aws.ts';

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
      ...probeTriggers({ fireAt, queue }),
      { id: 'end', type: 'set', parameters: { values: { token } } },
    ],
    connections: ['synchronous', 'express', ...probeTriggers({ fireAt, queue }).map(({ id }) => id)].map(
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
const probeTriggers = ({ fireAt, queue }: Omit<ProbeOptions, 'token'>): WorkflowDefinition['nodes'] => [
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

const WORKFLOWS = '/api/admin/workflows';
export const EXECUTIONS = '/api/admin/executions';

/** Exceeds the longest run of the doctor: anything older was left behind. */
const LEFT_AFTER_MS = 900_000;

/** Removes probes of earlier runs of the doctor that ended before removing them. */
export const removeLeftProbes = async (api: DoctorApi, now: number): Promise<void> => {
  const found = await api.list<{ readonly id: string; readonly updatedAt: string }>(WORKFLOWS, 'workflows', {
    text: PROBE_PREFIX,
  });
  for (const { id, updatedAt } of found)
    if (id.startsWith(PROBE_PREFIX) && Date.parse(updatedAt) < now - LEFT_AFTER_MS)
      await removeProbe(id, api);
};

/** Removes a probe with its registrations, runs and records. */
export const removeProbe = async (id: string, api: DoctorApi): Promise<void> => {
  const path = `${WORKFLOWS}/${id}`;
  await api.call('DELETE', path, { query: { force: 'true' } }).catch(ignore('workflow-not-found'));
  const executions = await api.list<ReturnType<typeof describeSummary>>(EXECUTIONS, 'executions', {
    workflowId: id,
  });
  for (const { executionId, status } of executions)
    if (!isFinal(status))
      await api.call('POST', `${EXECUTIONS}/${executionId}/cancel`).catch(ignore('not-cancellable'));
  await api.call('DELETE', `/api/admin/probes/${id}`);
};

const ignore =
  (code: string) =>
  (error: unknown): void => {
    if ((error as { readonly code?: unknown }).code !== code) throw error;
  };
