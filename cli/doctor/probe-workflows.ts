import { PROBE_PREFIX } from '../../lib/health/ping.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';

interface ProbeOptions {
  /** Unique to one run of the doctor. */
  readonly token: string;
  /** When the schedule fires, milliseconds since the epoch; null for none. */
  readonly fireAt: number | null;
  /** ARN of a queue reserved for the doctor; null for none. */
  readonly queue: string | null;
}

const NAME = 'Probe of hookloom doctor';

/** One workflow per engine: a synchronous run needs neither, and every kind of dispatch can start either. */
export const probeWorkflows = ({ token, fireAt, queue }: ProbeOptions): ProbeWorkflows => ({
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

interface ProbeWorkflows {
  readonly express: WorkflowDefinition;
  readonly durable: WorkflowDefinition;
}
