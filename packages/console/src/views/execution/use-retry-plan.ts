import { useQueries, useQuery } from '@tanstack/react-query';
import type { WorkflowDefinition } from '../../../../../lib/workflows/definition/definition.ts';
import { callApi } from '../../api/api.ts';
import type { Execution } from './node-runs.ts';
import { deriveEffects, type Effect, type Purity, type RunAgain } from './retry-input.ts';

/** What a retry would do. */
export interface RetryPlan {
  readonly isLoading: boolean;
  readonly effects: readonly Effect[];
  /** Why it can't be retried so; null if it can, or if that is not known. */
  readonly refusal: string | null;
  /** Whether the effects are derived from the definition, so that those in other workflows are not known. */
  readonly isDerived: boolean;
}

/** How to retry, as the API takes it. */
export interface RetryOptions extends RunAgain {
  readonly version: 'recorded' | 'current';
}

interface Wanted {
  readonly execution: Execution;
  readonly options: RetryOptions;
  /** The definition that would run; null while it is read. */
  readonly definition: WorkflowDefinition | null;
}

const BULK = 'POST /api/admin/executions/retry';
const TYPE = 'GET /api/admin/node-types/{nodeType}';

/**
 * Asks what a retry would do: the plan of a bulk retry, if its filter can name this execution alone. It can't if another one
 * started in the same millisecond, and it refuses those that were retried before.
 */
export const useRetryPlan = ({ execution, options, definition }: Wanted): RetryPlan => {
  const { workflowId, workflowVersion, startedAt, status, retriedBy, nodes, trigger } = execution;
  const canAsk = retriedBy === null;
  const plan = useQuery({
    queryKey: ['plan of a retry', execution.executionId, options],
    queryFn: ({ signal }) => {
      const filter = { workflowId, from: startedAt, to: startedAt, status: [status], workflowVersion };
      return callApi(BULK, { body: { filter, ...options, dryRun: true }, signal });
    },
    enabled: canAsk,
  });
  const refused = plan.data?.refused.reduce((sum, { count }) => sum + count, 0) ?? 0;
  const isAlone = plan.data !== undefined && plan.data.count + refused === 1;
  const derives = !canAsk || plan.isError || (plan.data !== undefined && !isAlone);
  const types = [...new Set((derives ? (definition?.nodes ?? []) : []).map(({ type }) => type))];
  const described = useQueries({
    queries: types.map((nodeType) => ({
      queryKey: [TYPE, { nodeType }, undefined],
      queryFn: () => callApi(TYPE, { params: { nodeType } }),
    })),
  });
  if (derives) {
    const isLoading = definition === null || described.some(({ isPending }) => isPending);
    const typeOf = (type: string): Purity | null => described[types.indexOf(type)]?.data ?? null;
    const effects =
      isLoading || definition === null
        ? []
        : deriveEffects(definition, nodes, { from: trigger.nodeId, ...options }, typeOf);
    return { isLoading, effects, refusal: null, isDerived: true };
  }
  const effects = (plan.data?.effects ?? []).map((effect) => ({ ...effect, isUnsure: false }));
  const refusal = plan.data?.refused[0]?.reason ?? null;
  return { isLoading: plan.isPending, effects, refusal, isDerived: false };
};
