import type { FindNodeType } from '../lib/contract/node-type.ts';
import type { Clock } from '../lib/contract/services.ts';
import { createLogEvents } from '../lib/events/log-events.ts';
import { cancelExecution } from '../lib/executions/cancel-execution.ts';
import { describeExecution, describeSummary } from '../lib/executions/describe-execution.ts';
import { type ExecutionStatus, isFinal, type NodeRecord } from '../lib/executions/execution.ts';
import type { ExecutionRecord } from '../lib/executions/execution-store.ts';
import { findExecution } from '../lib/executions/find-execution.ts';
import { type ListQuery, listExecutions } from '../lib/executions/list-executions.ts';
import { type RetryOptions, retryExecution } from '../lib/executions/retry-execution.ts';
import { randomIds } from '../lib/services/random-ids.ts';
import { compilePlan } from '../lib/workflows/plan.ts';
import { resolveExecution } from '../lib/workflows/resolve-execution.ts';
import { CommandError } from './command-error.ts';
import type { Io } from './io.ts';
import type { Target } from './target.ts';

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
  const shown = executions.map(describeSummary);
  if (asJson) return io.print(JSON.stringify({ executions: shown, nextCursor }, null, 2));
  if (shown.length === 0) io.note('There are no executions that match.');
  for (const { executionId, workflowId, workflowVersion, status, startedAt, durationMs } of shown) {
    const columns = [
      startedAt,
      executionId,
      `${workflowId}@${workflowVersion}`,
      status,
      formatMs(durationMs),
    ];
    io.print(columns.join('\t'));
  }
  if (nextCursor !== null) io.note(`There are more: --cursor ${nextCursor}`);
};

export const show = async (id: string, asJson: boolean, { io, target }: ExecutionContext): Promise<void> => {
  const record = await findExecution(id, target);
  if (asJson) return io.print(JSON.stringify(describeExecution(record), null, 2));
  const { workflowId, workflowVersion, mode, trigger, failure, retryOf, nodes, nodesOmitted } = record;
  io.print(`${record.executionId}: ${record.status}`);
  io.print(`  workflow  ${workflowId}, version ${workflowVersion}, from ${trigger.nodeId} (${mode})`);
  io.print(`  started   ${toIso(record.startedAt)}`);
  if (record.endedAt !== null) {
    io.print(`  ended     ${toIso(record.endedAt)}, after ${formatMs(record.endedAt - record.startedAt)}`);
  }
  if (retryOf !== null) {
    io.print(
      `  retry of  ${retryOf.executionId}${retryOf.fromNodeId === null ? '' : ` from ${retryOf.fromNodeId}`}`,
    );
  }
  if (failure !== null) io.print(`  failure   at ${failure.nodeId}: ${failure.name}: ${failure.message}`);
  for (const node of nodes) {
    io.print(describeNode(node));
    if (node.input !== undefined) io.print(`      in   ${JSON.stringify(node.input)}`);
    if (node.outputs !== undefined) io.print(`      out  ${JSON.stringify(node.outputs)}`);
  }
  if (nodesOmitted > 0) io.print(`  … and ${nodesOmitted} more`);
};

export const retry = async (
  id: string,
  options: RetryOptions,
  { io, target }: ExecutionContext,
  findNodeType: FindNodeType,
): Promise<void> => {
  const start = await retryExecution(id, options, {
    ...target,
    openPlan: async ({ definition }) => compilePlan(definition, findNodeType),
    modeOf: async ({ definition }) => resolveExecution(definition, findNodeType),
    ids: randomIds,
    clock: io,
  });
  io.print(`${start.executionId}: accepted, version ${start.workflowVersion} of ${start.workflowId}`);
};

export const cancel = async (id: string, { io, target }: ExecutionContext): Promise<void> => {
  const logger = { debug: io.note, info: () => {}, warn: io.note, error: io.note };
  // The event of the end is the service's to publish: the record is marked, and its sweeper sees to it.
  const { announces } = target;
  const events = announces
    ? { publish: () => Promise.reject(new Error('left to the sweeper')) }
    : createLogEvents(logger);
  await cancelExecution(id, {
    ...target,
    announces,
    events,
    logger: { ...logger, error: () => {} },
    clock: io,
  });
  io.print(`${id}: cancelled`);
};

const POLL_MS = 500;

/** Follows a run until it ends. @throws CommandError when it did not succeed */
export const watch = async (
  id: string,
  { io, target }: ExecutionContext,
  clock: Pick<Clock, 'sleep'>,
): Promise<void> => {
  const seen = new Map<string, string>();
  let lastStatus = '';
  for (;;) {
    const record = await findExecution(id, target);
    for (const node of record.nodes) {
      const name = `${node.within ?? ''}/${node.nodeId}/${node.iteration}`;
      if (seen.get(name) === node.status) continue;
      seen.set(name, node.status);
      io.print(paintNode(io, node));
    }
    if (record.status !== lastStatus) io.print(paintStatus(io, record));
    lastStatus = record.status;
    if (isFinal(record.status)) {
      if (record.status === 'succeeded') return;
      const { failure } = record;
      throw new CommandError(
        failure === null
          ? `It ended as ${record.status}.`
          : `At ${failure.nodeId}: ${failure.name}: ${failure.message}`,
      );
    }
    await clock.sleep(POLL_MS);
  }
};

const COLOURS: Partial<Record<ExecutionStatus | NodeRecord['status'], 'green' | 'red' | 'yellow'>> = {
  succeeded: 'green',
  failed: 'red',
  cancelled: 'red',
  timedOut: 'red',
  waiting: 'yellow',
};

const paintNode = (io: Io, node: NodeRecord): string => paint(io, node.status, describeNode(node));

const paintStatus = (io: Io, { executionId, status }: ExecutionRecord): string =>
  paint(io, status, `${executionId}: ${status}`);

const paint = (io: Io, status: ExecutionStatus | NodeRecord['status'], text: string): string => {
  const colour = COLOURS[status];
  return colour === undefined ? text : io.paintOut(colour, text);
};

const describeNode = ({
  within,
  nodeId,
  type,
  status,
  iteration,
  attempts,
  durationMs,
  failure,
}: NodeRecord): string => {
  const name = `${within === undefined ? '' : `${within}/`}${nodeId}${iteration === 0 ? '' : `#${iteration}`}`;
  const tried = attempts > 1 ? `, ${attempts} attempts` : '';
  const took = status === 'succeeded' || status === 'failed' ? ` after ${formatMs(durationMs)}` : '';
  const why = failure === undefined ? '' : `: ${failure.name}: ${failure.message}`;
  return `  ${name} (${type}) ${status}${took}${tried}${why}`;
};

const formatMs = (ms: number | null): string => {
  if (ms === null) return '-';
  return ms < 10_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
};

const toIso = (ms: number): string => new Date(ms).toISOString();
