import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { createAdminApi } from '../../packages/cli/admin-api.ts';
import { connectTarget } from '../../packages/cli/target.ts';
import { startSources } from '../../packages/local/sources/start-sources.ts';
import { useCommandLine } from '../support/a-command-line.ts';
import { type Fault, startFaultProxy } from '../support/a-fault-proxy.ts';
import { aWorkflow } from '../support/a-workflow.ts';
import { anAdminApi } from '../support/an-admin-api.ts';
import { useTestDatabases } from '../support/test-database.ts';

const openCommandLine = useCommandLine();
const openDatabase = useTestDatabases();
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const orders = (detailType: string) =>
  aWorkflow({
    id: 'orders',
    connections: [],
    nodes: [
      {
        id: 'placed',
        type: 'eventTrigger',
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
  const secretsFolder = mkdtempSync(join(tmpdir(), 'hookloom-cli-'));
  cleanups.push(() => rmSync(secretsFolder, { recursive: true }));
  const api = createAdminApi(
    anAdminApi({
      DYNAMODB_ENDPOINT: proxy.endpoint,
      SOURCES_ENDPOINT: sources.endpoint,
      SECRETS_FOLDER: secretsFolder,
    }),
  );
  const openTarget = () => ({
    ...connectTarget({
      tablePrefix: 'test',
      dynamodbEndpoint: proxy.endpoint,
      sourcesEndpoint: sources.endpoint,
    }),
    api,
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
])(
  'workflow %s has the same result when the response of any of its writes is lost',
  async (_what, before, act) => {
    const runOnce = async (lost: number | null) => {
      const commands = await open();
      await before(commands);
      return commands.run(() => act(commands), lost);
    };
    const { end: expected, writes } = await runOnce(null);
    expect(expected.said.code).toBe(0);
    expect(writes).toBeGreaterThan(1);
    for (let lost = 0; lost < writes; lost++) expect((await runOnce(lost)).end).toEqual(expected);
  },
);

const GENERATED = /^[\w-]{43}$/;
const bearer = 'credential create crm --type httpBearer --host crm.example.com';

test.each<[string, string | null, string, string]>([
  ['create of an API key', null, 'credential create key --type apiKey', ''],
  ['rotate of an API key', 'credential create key --type apiKey', 'credential rotate key', ''],
  ['create of a password', null, 'credential create ann --type basic --username ann', ''],
  ['revoke', 'credential create key --type apiKey', 'credential revoke key --all', ''],
  ['create of one for calling out', null, bearer, 'the-token-1'],
  ['rotate of one for calling out', bearer, 'credential rotate crm', 'the-token-2'],
  ['hosts', bearer, 'credential hosts crm --host other.example.com', 'the-token-2'],
  ['remove', bearer, 'credential remove crm', ''],
])(
  'credential %s has the same result when the response of any of its writes is lost',
  async (_what, before, act, input) => {
    const runOnce = async (lost: number | null) => {
      const { call, run } = await open();
      if (before !== null) await call(before, 'the-token-1');
      let said = { code: 1, out: '', err: '' };
      const { writes } = await run(async () => {
        said = await call(act, input);
        return said;
      }, lost);
      // Generated, and so another one each time: that it is shown is what counts.
      const out = said.out.replace(GENERATED, 'SECRET');
      const listed = (await call('credential list')).out.replace(/\S+Z/g, 'TIME');
      return { said: { ...said, out }, listed, writes };
    };
    const expected = await runOnce(null);
    const { writes } = expected;
    expect(expected.said.code).toBe(0);
    expect(writes).toBeGreaterThan(0);
    for (let lost = 0; lost < writes; lost++)
      expect(await runOnce(lost)).toEqual({ ...expected, writes: writes + 1 });
  },
);
