import type { WorkflowDefinition } from './definition.ts';

/** The engine's limit for a run with a waiting caller; the gateway's is 30 seconds. */
export const CALLER_WAITS_SECONDS = 25;

/** What the trigger of a run asks of the run for the sake of its caller: parameters of a `webhookTrigger`. */
interface Answering {
  /** The output has the outputs of all end nodes, by their ids. */
  readonly collectsEnds: boolean;
  /** The response is stored as soon as a node has emitted it, since the run continues after it. */
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
