import { readResponses } from '../../workflows/definition/responses.ts';
import type { Plan } from '../../workflows/plan/plan.ts';
import type { ExecutionRecord } from '../record/execution-store.ts';

/** Whether the waiting caller of a run gets the response before the end: see `Responses`. */
export const isAnsweredEarly = (
  { trigger }: Pick<ExecutionRecord, 'trigger'>,
  { definition, nodes }: Plan,
): boolean =>
  readResponses(definition, (index) => nodes[index]?.nodeType ?? null).isEarly(
    nodes.findIndex(({ node }) => node.id === trigger.nodeId),
  );
