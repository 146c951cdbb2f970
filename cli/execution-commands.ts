import { randomIds } from '../lib/adapters/runtime/random-ids.ts';
import type { FindNodeType } from '../lib/contract/node-type.ts';
import type { Logger } from '../lib/contract/services.ts';
import { cancelExecution } from '../lib/executions/lifecycle/cancel-execution.ts';
import { showExecution } from '../lib/executions/lifecycle/find-execution.ts';
import { type ListQuery, listExecutions } from '../lib/executions/lifecycle/list-executions.ts';
import { type RetryOptions, retryExecution } from '../lib/executions/lifecycle/retry-execution.ts';
import { describeExecution, describeSummary } from '../lib/executions/record/describe-execution.ts';
import type { ExecutionEvents } from '../lib/executions/record/execution-events.ts';
import { AppError } from '../lib/shared/errors.ts';
import { resolveExecution } from '../lib/workflows/definition/resolve-execution.ts';
import { compilePlan } from '../lib/workflows/plan/plan.ts';
import { toAccount, toTable } from './execution-text.ts';
import type { Io } from './io.ts';
import type { Target } from './target.ts';
import { watchExecution } from './watch-execution.ts';

export interface ExecutionContext {
  readonly io: Io;
  readonly target: Target;
}

export const list = async (
  query: ListQuery,
  asJson: boolean,
  { io, target }: ExecutionContext,
): Promise<void> => {
  const { executions, nextCursor } = await listExecutions(query, target);
  if (asJson) {
    return io.print(JSON.stringify({ executions: executions.map(describeSummary), nextCursor }, null, 2));
  }
  if (executions.length === 0) io.note('There are no executions like that.');
  else for (const line of toTable(executions)) io.print(line);
  if (nextCursor !== null) io.note(`There are more: --cursor ${nextCursor}`);
};

export const show = async (id: string, asJson: boolean, context: ExecutionContext): Promise<void> => {
  const record = await showExecution(id, toParts(context));
  if (asJson) return context.io.print(JSON.stringify(describeExecution(record), null, 2));
  for (const line of toAccount(record)) context.io.print(line);
};

export const retry = async (
  id: string,
  options: RetryOptions,
  context: ExecutionContext,
  findNodeType: FindNodeType,
): Promise<void> => {
  const { executionId, workflowId, workflowVersion } = await retryExecution(id, options, {
    ...toParts(context),
    openPlan: async ({ definition }) => compilePlan(definition, findNodeType),
    modeOf: async ({ definition }) => resolveExecution(definition, findNodeType),
    ids: randomIds,
  });
  context.io.print(`${executionId}: accepted, version ${workflowVersion} of ${workflowId}`);
  context.io.note(`Follow it with: execution watch ${executionId}`);
};

export const cancel = async (id: string, context: ExecutionContext): Promise<void> => {
  await cancelExecution(id, toParts(context));
  context.io.print(`${id}: cancelled`);
};

/** Until it ends; Ctrl+C ends the watching alone. @throws CommandError when it does not succeed */
export const watch = (id: string, context: ExecutionContext): Promise<void> => {
  const parts = toParts(context);
  return watchExecution(() => showExecution(id, parts), context.io);
};

const toParts = ({ io, target }: ExecutionContext) => ({
  ...target,
  events: leftToTheService,
  logger: toLogger(io),
  clock: io,
});

/** Events are the service's to publish: the record of the end is marked, and the sweeper sees to what is. */
const leftToTheService: ExecutionEvents = {
  publish: ({ executionId }) => Promise.reject(new AppError('EVENT_NOT_PUBLISHED', { executionId })),
};

/** What could not be done, but does not keep the command from its end. That no event is published is no news. */
const toLogger = (io: Io): Logger => ({
  debug: () => {},
  info: () => {},
  warn: (message) => io.note(io.paint('yellow', message)),
  error: () => {},
});
