import type { Command } from 'commander';
import type { listEntriesRoute } from '../../lib/app/state.ts';
import type { AnswerTo } from '../../lib/http/api-route.ts';
import { type AdminApi, ApiProblem } from './admin-api.ts';
import type { CommandContext } from './command-context.ts';
import { usageError } from './command-error.ts';
import { explain } from './help.ts';
import type { Io } from './io.ts';
import { parseJson } from './parse-json.ts';
import { LIMIT, readId } from './read-arguments.ts';
import { readInput } from './read-file.ts';
import { printTable } from './table.ts';

const STATE = '/api/admin/state';
const ENTRY = `${STATE}/entry`;

type Page = AnswerTo<typeof listEntriesRoute>;
type Entry = Page['entries'][number];

interface ScopeOptions {
  readonly workflow?: string;
  readonly store?: string;
}

interface ListOptions extends ScopeOptions {
  readonly prefix?: string;
  readonly limit?: string;
  readonly cursor?: string;
  readonly json?: true;
}

interface ChangeOptions extends ScopeOptions {
  readonly ttl?: number;
  readonly ifVersion?: number;
}

interface PutOptions extends ChangeOptions {
  readonly file?: string;
}

export const addStateCommands = (program: Command, { io, onTarget }: CommandContext): void => {
  const state = program.command('state').description('see and change what workflows remember');

  const withScope = (command: Command): Command =>
    command
      .option('--workflow <id>', 'the entries of this workflow', readId)
      .option('--store <name>', 'the entries of this store, which workflows share');

  withScope(state.command('list').description('list entries of state, by key'))
    .option('--prefix <text>', 'what their keys begin with')
    .option('--limit <number>', LIMIT)
    .option('--cursor <cursor>', 'continue where a list ended')
    .option('--json', 'print JSON')
    .addHelpText('after', explain(['state list --workflow orders --prefix customer/']))
    .action(async (options: ListOptions) => {
      const query = toQuery(options);
      await onTarget(({ target }) => list(query, options.json === true, target.api, io));
    });

  withScope(state.command('get').description('print the value of an entry, as JSON'))
    .argument('<key>', 'its key')
    .option('--json', 'print all that is known of it')
    .addHelpText('after', explain(['state get customer/7 --workflow orders']))
    .action(async (key: string, options: ListOptions) => {
      const query = { ...toScope(options), key };
      await onTarget(async ({ target }) => {
        const entry = await target.api.call<Entry>('GET', ENTRY, { query });
        if (options.json !== true && entry.claim !== null) io.note(describeClaim(entry.claim));
        io.print(JSON.stringify(options.json === true ? entry : entry.value, null, 2));
      });
    });

  withScope(state.command('put').description('create or replace an entry'))
    .argument('<key>', 'its key')
    .argument('[value]', `its value as JSON, such as 7, '"text"' or '{"a":1}'`)
    .option('--file <file>', 'a file with its value as JSON; - for standard input')
    .option('--ttl <seconds>', 'it expires after this time (default: never)', readNumber)
    .option('--if-version <number>', 'only in place of this version; 0 for none', readNumber)
    .addHelpText('after', explain(['state put visits/7 1 --workflow orders --if-version 0']))
    .action(async (key: string, given: string | undefined, options: PutOptions) => {
      const query = { ...toScope(options), key };
      if ((given === undefined) === (options.file === undefined))
        throw usageError('Give the value, or a file with it: --file FILE.');
      const { name, text } =
        given === undefined ? await readInput(options.file ?? '', io) : { name: 'value', text: given };
      const body = { value: parseJson(text, name), ttlSeconds: options.ttl ?? null };
      await onTarget(async ({ target }) => {
        const request = { query, body, headers: toCondition(options) };
        const { version } = await target.api.call<Entry>('PUT', ENTRY, request);
        io.print(`${key}: stored, version ${version}`);
      });
    });

  withScope(state.command('delete').description('delete an entry; a claimed key can be claimed again'))
    .argument('<key>', 'its key')
    .option('--if-version <number>', 'only this version', readNumber)
    .addHelpText('after', explain(['state delete order/1017 --workflow orders']))
    .action(async (key: string, options: ChangeOptions) => {
      const query = { ...toScope(options), key };
      await onTarget(async ({ target }) => {
        await target.api.call('DELETE', ENTRY, { query, headers: toCondition(options) });
        io.print(`${key}: deleted`);
      });
    });

  withScope(state.command('export').description('print all entries, each as a line of JSON'))
    .option('--prefix <text>', 'what their keys begin with')
    .addHelpText('after', explain(['state export --workflow orders > orders.jsonl']))
    .action(async (options: ListOptions) => {
      const query = toQuery(options);
      await onTarget(({ target }) => exportAll(query, target.api, io));
    });
};

type Query = Readonly<Record<string, string | null>>;

/** @throws CommandError unless exactly one of the two is given */
const toScope = ({ workflow, store }: ScopeOptions): Query => {
  if ((workflow === undefined) === (store === undefined))
    throw usageError('Name whose entries: either --workflow ID or --store NAME.');
  return { workflowId: workflow ?? null, store: store ?? null };
};

const toQuery = ({ prefix, limit, cursor, ...scope }: ListOptions): Query => ({
  ...toScope(scope),
  prefix: prefix ?? null,
  limit: limit ?? null,
  cursor: cursor ?? null,
});

const readNumber = (text: string): number => {
  const number = Number(text);
  if (text.trim() === '' || !Number.isSafeInteger(number) || number < 0)
    throw usageError(`${JSON.stringify(text)} is not a whole number.`);
  return number;
};

const toCondition = ({ ifVersion }: ChangeOptions): Readonly<Record<string, string>> => {
  if (ifVersion === undefined) return {};
  return ifVersion === 0 ? { 'if-none-match': '*' } : { 'if-match': `"${ifVersion}"` };
};

const describeClaim = ({ executionId, confirmBy }: NonNullable<Entry['claim']>): string =>
  `claimed by execution ${executionId}${confirmBy === null ? '' : `, to be confirmed by ${confirmBy}`}`;

const describeValue = ({ value, omittedBytes }: Pick<Entry, 'value' | 'omittedBytes'>): string =>
  omittedBytes === null
    ? JSON.stringify(value)
    : `${omittedBytes.toLocaleString('en')} bytes: state get shows them`;

const list = async (query: Query, asJson: boolean, api: AdminApi, io: Io): Promise<void> => {
  const { entries, nextCursor } = await api.call<Page>('GET', STATE, { query });
  if (asJson) return io.print(JSON.stringify({ entries, nextCursor }, null, 2));
  if (entries.length === 0) io.note('There are no entries.');
  else {
    const rows = entries.map(({ key, value, omittedBytes, version, writtenAt, expiresAt, claim }) => [
      key,
      String(version),
      writtenAt,
      expiresAt ?? '-',
      claim === null ? describeValue({ value, omittedBytes }) : describeClaim(claim),
    ]);
    printTable({ titles: ['KEY', 'VERSION', 'WRITTEN', 'EXPIRES', 'VALUE'], rows, texts: ['VALUE'] }, io);
  }
  if (nextCursor !== null) io.note(`There are more: --cursor ${nextCursor}`);
};

/** Entries of a page. */
const PAGE = '100';
/** How many entries are between two lines of progress. */
const STEP = 1_000;

/** An entry with its value, also one that a list omits; null if it has been deleted since it was listed. */
const find = (
  { workflowId = null, store = null }: Query,
  key: string,
  api: AdminApi,
): Promise<Entry | null> =>
  api.call<Entry>('GET', ENTRY, { query: { workflowId, store, key } }).catch((error: unknown) => {
    if (error instanceof ApiProblem && error.code === 'state-entry-not-found') return null;
    throw error;
  });

const exportAll = async (query: Query, api: AdminApi, io: Io): Promise<void> => {
  let cursor: string | null = null;
  let count = 0;
  do {
    const page: Page = await api.call<Page>('GET', STATE, { query: { ...query, limit: PAGE, cursor } });
    for (const entry of page.entries) {
      const whole = entry.omittedBytes === null ? entry : await find(query, entry.key, api);
      if (whole !== null) io.print(JSON.stringify(whole));
    }
    const before = count;
    count += page.entries.length;
    if (Math.floor(count / STEP) > Math.floor(before / STEP)) io.note(`${count} entries …`);
    cursor = page.nextCursor;
  } while (cursor !== null);
  io.note(`${count} ${count === 1 ? 'entry' : 'entries'}.`);
};
