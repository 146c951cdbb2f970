import { afterEach, expect, test } from '@jest/globals';
import { connect } from '../../cli/target.ts';
import { startSources } from '../../local/sources/start-sources.ts';
import { useCommandLine } from '../support/a-command-line.ts';
import { type Fault, startFaultProxy } from '../support/a-fault-proxy.ts';
import { aWorkflow } from '../support/a-workflow.ts';
import { useTestDatabases } from '../support/test-database.ts';

const openCommandLine = useCommandLine();
const openDatabase = useTestDatabases();
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const orders = (detailType: string) =>
  aWorkflow({
    ...{ id: 'orders', connections: [] },
    nodes: [
      {
        ...{ id: 'placed', type: 'eventTrigger' },
        parameters: { pattern: { source: ['shop'], 'detail-type': [detailType] } },
      },
    ],
  });

/** Of a command line behind a proxy: what a command says, and which events start something after it. */
const open = async () => {
  let decide = (_operation: string): Fault => 'pass';
  const invoked: unknown[] = [];
  const pool = { invoke: async ({ event }: { readonly event: unknown }) => invoked.push(event) };
  const sources = await startSources({ file: null, pool, log: () => {} });
  const database = await openDatabase();
  const proxy = await startFaultProxy(database.endpoint, (operation) => decide(operation));
  cleanups.push(sources.stop, proxy.stop);
  const openTarget = () =>
    connect({
      ...{ tablePrefix: 'test', dynamodbEndpoint: proxy.endpoint, sourcesEndpoint: sources.endpoint },
    });
  const { call, file } = await openCommandLine({ openTarget, hasDatabase: false });
  const put = (detailType: string) => call(`workflow put ${file('w.json', orders(detailType))}`);
  const fires = async (detailType: string) => {
    const before = invoked.length;
    await call('event put -', JSON.stringify({ source: 'shop', 'detail-type': detailType, detail: {} }));
    return invoked.length > before;
  };
  const run = async (act: () => Promise<{ readonly code: number }>, lost: number | null) => {
    let writes = 0;
    decide = (operation) =>
      /^(Put|Update|Delete)/.test(operation) && writes++ === lost ? 'lose the reply' : 'pass';
    const said = await act();
    decide = () => 'pass';
    const listed = (await call('workflow list')).out.replace(/\S+Z/, 'TIME');
    return { end: { said, listed, fired: [await fires('Placed'), await fires('Paid')] }, writes };
  };
  return { call, put, run };
};
type CommandLine = Awaited<ReturnType<typeof open>>;

test.each<
  [
    string,
    (commands: CommandLine) => Promise<unknown>,
    (commands: CommandLine) => Promise<{ readonly code: number }>,
  ]
>([
  ['put of a new workflow', async () => {}, ({ put }) => put('Placed')],
  ['put of a changed one', ({ put }) => put('Placed'), ({ put }) => put('Paid')],
  ['disable', ({ put }) => put('Placed'), ({ call }) => call('workflow disable orders')],
  ['remove', ({ put }) => put('Placed'), ({ call }) => call('workflow remove orders')],
])('workflow %s ends the same when the answer of any of its writes is lost', async (_what, before, act) => {
  const runOnce = async (lost: number | null) => {
    const commands = await open();
    await before(commands);
    return commands.run(() => act(commands), lost);
  };
  const { end: expected, writes } = await runOnce(null);
  expect(expected.said.code).toBe(0);
  expect(writes).toBeGreaterThan(1);
  for (let lost = 0; lost < writes; lost++) expect((await runOnce(lost)).end).toEqual(expected);
});
