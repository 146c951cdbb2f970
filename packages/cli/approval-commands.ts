import type { Command } from 'commander';
import { type ApprovalPage, approvalsQuery } from '../../lib/approvals/list-approvals.ts';
import {
  type CommandContext,
  EARLIER_NOTE,
  refuseUnknownWorkflow,
  type TargetContext,
} from './command-context.ts';
import { explain } from './help.ts';
import { LIMIT, readId, readQuery } from './read-arguments.ts';
import { printTable } from './table.ts';

export const addApprovalCommands = (program: Command, { onTarget }: CommandContext): void => {
  program
    .command('approval')
    .description('list pending approvals')
    .command('list')
    .description('list approvals waiting for a decision, the earliest deadline first')
    .option('--workflow <id>', 'only approvals of this workflow', readId)
    .option('--execution <id>', 'only approvals that this execution waits for', readId)
    .option('--limit <number>', LIMIT)
    .option('--cursor <cursor>', 'continue where a list ended')
    .option('--addresses', 'show the callback URLs; anyone with such a URL can decide')
    .option('--json', 'print JSON')
    .addHelpText('after', explain(['approval list']))
    .action(async (options: ListOptions) => {
      const { workflow, execution, limit, cursor } = options;
      const query = { workflowId: workflow, executionId: execution, limit, cursor };
      readQuery(approvalsQuery, query);
      await onTarget((context) => list(query, options, context));
    });
};

interface ListOptions {
  readonly workflow?: string;
  readonly execution?: string;
  readonly limit?: string;
  readonly cursor?: string;
  readonly addresses?: true;
  readonly json?: true;
}

const APPROVALS = '/api/admin/approvals';

const list = async (
  query: Readonly<Record<'workflowId' | 'executionId' | 'limit' | 'cursor', string | undefined>>,
  { addresses, json }: ListOptions,
  context: TargetContext,
): Promise<void> => {
  const { io, target } = context;
  const method = addresses === true ? 'POST' : 'GET';
  const path = addresses === true ? `${APPROVALS}/addresses` : APPROVALS;
  const page = await target.api.call<ApprovalPage>(method, path, { query: { ...query } });
  const { approvals, nextCursor, omitsEarlier } = page;
  if (approvals.length === 0) await refuseUnknownWorkflow(query.workflowId ?? null, context);
  if (omitsEarlier === true) io.note(EARLIER_NOTE);
  if (json === true) return io.print(JSON.stringify({ approvals, nextCursor }, null, 2));
  if (approvals.length === 0)
    return io.note(
      nextCursor === null ? 'No approvals are pending.' : `None on this page: --cursor ${nextCursor}`,
    );
  printTable(
    {
      titles: [
        'SINCE',
        'UNTIL',
        'EXECUTION',
        'NODE',
        'ASKED BY',
        'TITLE',
        ...(addresses === true ? ['URL'] : []),
      ],
      texts: ['ASKED BY', 'TITLE'],
      rows: approvals.map(
        ({ since, until, executionId, workflowId, nodeId, askedBy, title, address = '-' }) => [
          ...[since, until, executionId, `${workflowId}/${nodeId}`, askedBy ?? '-', title ?? '-'],
          ...(addresses === true ? [address] : []),
        ],
      ),
    },
    io,
  );
  if (nextCursor !== null) io.note(`There may be more: --cursor ${nextCursor}`);
};
