import type { JsonObject } from '@hookloom/plugin-kit';
import type { RunningProject } from './a-running-project.ts';
import { poll } from './poll.ts';

/** A workflow with a form whose answers a person decides on. */
export const aDecision = ({
  id,
  ask = {},
  form = {},
}: {
  readonly id: string;
  /** Parameters of the approval. */
  readonly ask?: JsonObject;
  /** Of the trigger. */
  readonly form?: JsonObject;
}) => ({
  id,
  name: 'Decision',
  enabled: true,
  nodes: [
    {
      id: 'request',
      type: 'webhookTrigger',
      parameters: {
        methods: ['GET', 'POST'],
        form: true,
        schema: {
          type: 'object',
          title: 'Ask for something',
          required: ['what'],
          properties: {
            what: { type: 'string', title: 'What do you need?', maxLength: 100 },
            cost: { type: 'number', title: 'Cost in euros', minimum: 0 },
            team: { enum: ['Kitchen', 'Garden'], title: 'Team' },
            day: { type: 'string', format: 'date', title: 'Needed by' },
            urgent: { type: 'boolean', title: "It can't wait" },
          },
        },
        ...form,
      },
    },
    {
      id: 'ask',
      type: 'approval',
      parameters: {
        title: '{{ body.what }} for {{ body.cost }}',
        text: 'It costs **{{ body.cost }} EUR**.',
        askedBy: 'Kitchen',
        fields: {
          type: 'object',
          properties: {
            comment: { type: 'string', title: 'Comment', maxLength: 500 },
            limit: { type: 'integer', title: 'Up to how many euros?', minimum: 1, maximum: 10_000 },
            pay: { enum: ['card', 'cash'], title: 'How to pay', default: 'card' },
          },
        },
        timeoutSeconds: 600,
        ...ask,
      },
    },
  ],
  connections: [{ sourceNodeId: 'request', targetNodeId: 'ask' }],
});

/** An approval as the admin API lists it. */
interface WaitingApproval {
  readonly executionId: string;
  readonly address: string;
}

/** The latest approval of a workflow, once it waits. */
export const waitingApproval = async (
  { fetch }: Pick<RunningProject, 'fetch'>,
  workflowId: string,
): Promise<WaitingApproval> => {
  let found: WaitingApproval | undefined;
  await poll(async () => {
    const path = `/api/admin/approvals/addresses?workflowId=${workflowId}`;
    const { approvals } = (await (await fetch(path, { method: 'POST' })).json()) as {
      approvals: WaitingApproval[];
    };
    [found] = approvals;
    return found !== undefined;
  });
  if (found === undefined) throw new Error('no approval waits');
  return found;
};
