import type { WorkflowDefinition } from './definition.ts';

/** The engine's limit for a run with a waiting caller; the gateway's is 30 seconds. */
export const CALLER_WAITS_SECONDS = 25;

/** What a run's trigger requires of the run for its caller: parameters of a `webhookTrigger`. */
interface Answering {
  /** The run's output holds the outputs of all end nodes, by node id. */
  readonly collectsEnds: boolean;
  /** The response is stored as soon as a node emits it, since the run continues afterwards. */
  readonly respondsEarly: boolean;
}

export const readAnswering = (
  { nodes }: Pick<WorkflowDefinition, 'nodes'>,
  triggerNodeId: string,
): Answering => {
  const { lastNodeAnswer, continueAfterResponse } =
    nodes.find(({ id }) => id === triggerNodeId)?.parameters ?? {};
  return { collectsEnds: lastNodeAnswer === 'all', respondsEarly: continueAfterResponse === true };
};
