import type { Command } from 'commander';
import { type ApprovalPage, approvalsQuery } from '../../lib/approvals/list-approvals.ts';
import { EARLIER_NOTE, refuseUnknownWorkflow } from './admin-api.ts';
import { addTo, type CommandContext, type TargetContext } from './command.ts';
import { printJson } from './io.ts';
import { JSON_OUTPUT, PAGING, readId, readQuery } from './read-arguments.ts';
import { printTable } from './table.ts';

export const addApprovalCommands = (program: Command, context: CommandContext): void => {
  const add = addTo(program.command('approval').description('list pending approvals'), context);

  add('list', {
    about: 'list approvals waiting for a decision, the earliest deadline first',
    options: [
      ['--workflow <id>', 'only approvals of this workflow', readId],
      ['--execution <id>', 'only approvals that this execution waits for', readId],
      ...PAGING,
      ['--addresses', 'show the callback URLs; anyone with such a URL can decide'],
      JSON_OUTPUT,
    ],
    examples: ['approval list'],
    check: (options) => readQuery(approvalsQuery, toQuery(options)),
    run: listApprovals,
  });
};

type ListOptions = Readonly<Partial<Record<'workflow' | 'execution' | 'limit' | 'cursor', string>>> & {
  readonly addresses?: true;
  readonly json?: true;
};

const toQuery = ({ workflow, execution, limit, cursor }: ListOptions) => ({
  workflowId: workflow,
  executionId: execution,
  limit,
  cursor,
});

const APPROVALS = '/api/admin/approvals';

const listApprovals = async ({ io, target: { api } }: TargetContext, options: ListOptions): Promise<void> => {
  const withUrls = options.addresses === true;
  const query = toQuery(options);
  const { approvals, nextCursor, omitsEarlier } = await (withUrls
    ? api.call<ApprovalPage>('POST', `${APPROVALS}/addresses`, { query })
    : api.call<ApprovalPage>('GET', APPROVALS, { query }));
  if (approvals.length === 0) await refuseUnknownWorkflow(options.workflow, api);
  if (omitsEarlier === true) io.note(EARLIER_NOTE);
  if (options.json === true) return printJson({ approvals, nextCursor }, io);
  if (approvals.length === 0)
    return io.note(
      nextCursor === null ? 'No approvals are pending.' : `None on this page: --cursor ${nextCursor}`,
    );
  const titles = ['SINCE', 'UNTIL', 'EXECUTION', 'NODE', 'ASKED BY', 'TITLE'];
  printTable(
    {
      titles: withUrls ? [...titles, 'URL'] : titles,
      texts: ['ASKED BY', 'TITLE'],
      rows: approvals.map(
        ({ since, until, executionId, workflowId, nodeId, askedBy, title, address = '-' }) => {
          const cells = [since, until, executionId, `${workflowId}/${nodeId}`, askedBy ?? '-', title ?? '-'];
          return withUrls ? [...cells, address] : cells;
        },
      ),
    },
    io,
  );
  if (nextCursor !== null) io.note(`There may be more: --cursor ${nextCursor}`);
};
