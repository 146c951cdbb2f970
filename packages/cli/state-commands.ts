import type { Command } from 'commander';
import type { listEntriesRoute } from '../../lib/app/state.ts';
import type { AnswerTo } from '../../lib/http/api-route.ts';
import { ApiProblem } from './admin-api.ts';
import { addTo, type CommandContext, type TargetContext } from './command.ts';
import { usageError } from './command-error.ts';
import { printJson } from './io.ts';
import { parseJson } from './parse-json.ts';
import { JSON_OUTPUT, numberThat, PAGING, readId } from './read-arguments.ts';
import { readInput } from './read-file.ts';
import { printTable } from './table.ts';

const STATE = '/api/admin/state';
const ENTRY = `${STATE}/entry`;

type Page = AnswerTo<typeof listEntriesRoute>;
type Entry = Page['entries'][number];

const SCOPE = [
  ['--workflow <id>', 'the entries of this workflow', readId],
  ['--store <name>', 'the entries of this store, which workflows share'],
] as const;
const PREFIX = ['--prefix <text>', 'what their keys begin with'] as const;
const KEY = ['<key>', 'its key'] as const;

const readWholeNumber = numberThat(
  (value) => Number.isSafeInteger(value) && value >= 0,
  (shown) => `${shown} is not a whole number.`,
);

export const addStateCommands = (program: Command, context: CommandContext): void => {
  const group = program.command('state').description('see and change what workflows remember');
  const add = addTo(group, context);

  add('list', {
    about: 'list entries of state, by key',
    options: [...SCOPE, PREFIX, ...PAGING, JSON_OUTPUT],
    examples: ['state list --workflow orders --prefix customer/'],
    check: toQuery,
    run: listEntries,
  });

  add('get', {
    about: 'print the value of an entry, as JSON',
    arguments: [KEY],
    options: [...SCOPE, ['--json', 'print all that is known of it']],
    examples: ['state get customer/7 --workflow orders'],
    check: (_key, options) => toQuery(options),
    run: async (key, { io, target }, options) => {
      const query = { ...toQuery(options), key };
      const entry = await target.api.call<Entry>('GET', ENTRY, { query });
      if (options.json === true) return printJson(entry, io);
      if (entry.claim !== null) io.note(describeClaim(entry.claim));
      printJson(entry.value, io);
    },
  });

  add('put', {
    about: 'create or replace an entry',
    arguments: [KEY, ['[value]', `its value as JSON, such as 7, '"text"' or '{"a":1}'`]],
    options: [
      ...SCOPE,
      ['--file <file>', 'a file with its value as JSON; - for standard input'],
      ['--ttl <seconds>', 'it expires after this time (default: never)', readWholeNumber],
      ['--if-version <number>', 'only in place of this version; 0 for none', readWholeNumber],
    ],
    examples: ['state put visits/7 1 --workflow orders --if-version 0'],
    runHere: async (key, given, { io, onTarget }, options) => {
      const query = { ...toQuery(options), key };
      if ((given === undefined) === (options.file === undefined))
        throw usageError('Give the value, or a file with it: --file FILE.');
      const { name, text } =
        given === undefined ? await readInput(options.file ?? '', io) : { name: 'value', text: given };
      const body = { value: parseJson(text, name), ttlSeconds: options.ttl ?? null };
      await onTarget(async ({ target }) => {
        const request = { query, body, headers: toCondition(options.ifVersion) };
        const { version } = await target.api.call<Entry>('PUT', ENTRY, request);
        io.print(`${key}: stored, version ${version}`);
      });
    },
  });

  add('delete', {
    about: 'delete an entry; a claimed key can be claimed again',
    arguments: [KEY],
    options: [...SCOPE, ['--if-version <number>', 'only this version', readWholeNumber]],
    examples: ['state delete order/1017 --workflow orders'],
    check: (_key, options) => toQuery(options),
    run: async (key, { io, target }, options) => {
      const query = { ...toQuery(options), key };
      await target.api.call('DELETE', ENTRY, { query, headers: toCondition(options.ifVersion) });
      io.print(`${key}: deleted`);
    },
  });

  add('export', {
    about: 'print all entries, each as a line of JSON',
    options: [...SCOPE, PREFIX],
    examples: ['state export --workflow orders > orders.jsonl'],
    check: toQuery,
    run: exportAll,
  });
};

type ListOptions = Readonly<Partial<Record<'workflow' | 'store' | 'prefix' | 'limit' | 'cursor', string>>>;

/** @throws CommandError unless exactly one of workflow and store is given */
const toQuery = ({ workflow, store, prefix, limit, cursor }: ListOptions) => {
  if ((workflow === undefined) === (store === undefined))
    throw usageError('Name whose entries: either --workflow ID or --store NAME.');
  return { workflowId: workflow, store, prefix, limit, cursor };
};

const toCondition = (ifVersion: number | undefined): Readonly<Record<string, string>> => {
  if (ifVersion === undefined) return {};
  return ifVersion === 0 ? { 'if-none-match': '*' } : { 'if-match': `"${ifVersion}"` };
};

const describeClaim = ({ executionId, confirmBy }: NonNullable<Entry['claim']>): string =>
  `claimed by execution ${executionId}${confirmBy === null ? '' : `, to be confirmed by ${confirmBy}`}`;

const describeValue = ({ value, omittedBytes }: Pick<Entry, 'value' | 'omittedBytes'>): string =>
  omittedBytes === null
    ? JSON.stringify(value)
    : `${omittedBytes.toLocaleString('en')} bytes: state get shows them`;

const listEntries = async (
  { io, target }: TargetContext,
  options: ListOptions & { readonly json?: true },
): Promise<void> => {
  const { entries, nextCursor } = await target.api.call<Page>('GET', STATE, { query: toQuery(options) });
  if (options.json === true) return printJson({ entries, nextCursor }, io);
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

const exportAll = async ({ io, target: { api } }: TargetContext, options: ListOptions): Promise<void> => {
  const query = toQuery(options);
  /** An entry with its value, also one that a list omits; null if it has been deleted since it was listed. */
  const find = (key: string): Promise<Entry | null> =>
    api.call<Entry>('GET', ENTRY, { query: { ...query, key } }).catch((error: unknown) => {
      if (error instanceof ApiProblem && error.code === 'state-entry-not-found') return null;
      throw error;
    });
  let cursor: string | null = null;
  let count = 0;
  do {
    const page: Page = await api.call<Page>('GET', STATE, { query: { ...query, limit: PAGE, cursor } });
    for (const entry of page.entries) {
      const whole = entry.omittedBytes === null ? entry : await find(entry.key);
      if (whole !== null) io.print(JSON.stringify(whole));
    }
    const before = count;
    count += page.entries.length;
    if (Math.floor(count / STEP) > Math.floor(before / STEP)) io.note(`${count} entries …`);
    cursor = page.nextCursor;
  } while (cursor !== null);
  io.note(`${count} ${count === 1 ? 'entry' : 'entries'}.`);
};
