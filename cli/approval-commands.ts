import type { Command } from 'commander';
import {
  type ApprovalsQuery,
  approvalsQuery,
  listApprovals,
  MAX_APPROVALS,
} from '../lib/callbacks/list-approvals.ts';
import {
  type CommandContext,
  EARLIER_NOTE,
  refuseUnknownWorkflow,
  type TargetContext,
} from './command-context.ts';
import { oneLine, toColumns } from './execution-text.ts';
import { readId, readQuery } from './read-arguments.ts';

export const addApprovalCommands = (program: Command, { onTarget }: CommandContext): void => {
  program
    .command('approval')
    .description('list pending approvals')
    .command('list')
    .description('list approvals waiting for a decision, the earliest deadline first')
    .option('--workflow <id>', 'only approvals of this workflow', readId)
    .option('--limit <number>', `how many: 1 to ${MAX_APPROVALS} (default: 25)`)
    .option('--cursor <cursor>', 'continue where a list ended')
    .option('--addresses', 'show the callback URLs; anyone with such a URL can decide')
    .option('--json', 'print JSON')
    .action(async (options: ListOptions) => {
      const { workflow, limit, cursor } = options;
      const query = readQuery(approvalsQuery, { workflowId: workflow, limit, cursor });
      await onTarget((context) => list(query, options, context));
    });
};

interface ListOptions {
  readonly workflow?: string;
  readonly limit?: string;
  readonly cursor?: string;
  readonly addresses?: true;
  readonly json?: true;
}

const list = async (
  query: ApprovalsQuery,
  { addresses, json }: ListOptions,
  context: TargetContext,
): Promise<void> => {
  const { io, target } = context;
  const { approvals, nextCursor, omitsEarlier } = await listApprovals(query, addresses === true, target);
  if (approvals.length === 0) await refuseUnknownWorkflow(query.workflowId, context);
  if (omitsEarlier === true) io.note(EARLIER_NOTE);
  if (json === true) return io.print(JSON.stringify({ approvals, nextCursor }, null, 2));
  if (approvals.length === 0)
    return io.note(
      nextCursor === null ? 'No approvals are pending.' : `None on this page: --cursor ${nextCursor}`,
    );
  const rows = approvals.map(({ since, until, executionId, workflowId, nodeId, askedBy, title }) =>
    [since, until, executionId, `${workflowId}/${nodeId}`, askedBy ?? '-', title ?? '-'].map(oneLine),
  );
  const [titles = '', ...lines] = toColumns([
    ['SINCE', 'UNTIL', 'EXECUTION', 'NODE', 'ASKED BY', 'TITLE'],
    ...rows,
  ]);
  io.print(titles);
  for (const [index, line] of lines.entries()) {
    io.print(line);
    const address = approvals[index]?.address;
    if (address !== undefined) io.print(`  ${address}`);
  }
  if (nextCursor !== null) io.note(`There may be more: --cursor ${nextCursor}`);
};
