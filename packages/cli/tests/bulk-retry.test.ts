import { describe, expect, test } from '@jest/globals';
import type { FinalStatus } from '../../../lib/executions/record/execution-store.ts';
import { useCommandLine } from '../../../tests/support/a-command-line.ts';
import { T0, useRetryingServices } from '../../../tests/support/a-retrying-service.ts';
import { anExecutionEnd } from '../../../tests/support/a-start.ts';
import { createAdminApi } from '../admin-api.ts';
import { connectTarget } from '../target.ts';

const aService = useRetryingServices();
const openCommandLine = useCommandLine();

/** The command line and a service; while a command waits, bulk retries run. */
const open = async (endOf?: (executionId: string, count: number) => FinalStatus | null) => {
  const service = await aService(endOf);
  let onWait: () => Promise<unknown> = () => service.run();
  const { call, asked } = await openCommandLine({
    hasDatabase: false,
    clock: { now: Date.now, sleep: async () => void (await onWait()) },
    openTarget: () => ({
      ...connectTarget({ tablePrefix: 'test' }),
      api: createAdminApi((method, address, request) => {
        asked.push(`${method} ${address}`);
        return service.call(method, address, request);
      }),
    }),
  });
  const whileWaiting = (act: () => Promise<unknown>) => {
    onWait = act;
  };
  return { ...service, cli: call, asked, whileWaiting };
};

const RETRY = 'execution retry --workflow greeting --rate 100';
const ID = /\d{8}T\d{9}-\w{8}/;
const idOf = (out: string): string => ID.exec(out)?.[0] ?? '';

describe('execution retry of many', () => {
  test('--dry-run prints how many, by failure, what would happen again, and starts nothing', async () => {
    const { cli, fail, asked, dispatched } = await open();
    for (const id of ['e-1', 'e-2']) await fail(id);
    await fail('e-3', { name: 'Timeout' });
    await fail('e-4', { input: null });
    expect(await cli('execution retry --workflow greeting --dry-run')).toEqual({
      code: 0,
      err: '',
      out: [
        '3 executions to retry',
        '  2 failed at call: HttpStatusError',
        '  1 failed at call: Timeout',
        'Effects on the outside',
        '  greeting: call (httpRequest) runs again 3 times',
        '  greeting: mail (httpRequest) may run for the first time in 3 executions',
        "What can't be retried",
        '  1: its request was not kept: of runs whose caller waits, only failed ones keep it (e-4)',
      ].join('\n'),
    });
    expect([asked, dispatched]).toEqual([['POST /api/admin/executions/retry'], []]);
  });

  test('starts, follows the progress, and prints what became of it', async () => {
    const { cli, failMany, dispatched } = await open();
    await failMany(3);
    const { code, out, err } = await cli(RETRY);
    expect(code).toBe(0);
    expect(out.replaceAll(new RegExp(ID, 'g'), 'ID').replaceAll(/\S+Z/g, 'TIME').split('\n')).toEqual([
      '3 executions to retry',
      '  3 failed at call: HttpStatusError',
      'Effects on the outside',
      '  greeting: call (httpRequest) runs again 3 times',
      '  greeting: mail (httpRequest) may run for the first time in 3 executions',
      'ID: started',
      'ID: done',
      '  started   TIME',
      '  ended     TIME',
      '  progress  3 of 3 succeeded, 0 failed again',
    ]);
    expect(err).toBe('[....................] 0 of 3 succeeded, 0 failed again, 3 not started');
    expect(dispatched).toHaveLength(3);
  });

  test('asks on a terminal, and leaves out what has failed since', async () => {
    const { cli, fail, executions, dispatched, run, show } = await open();
    await fail('e-1');
    const refused = await cli(RETRY, ['n']);
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringMatching(/Retry it\? .*\nNothing was started\./s),
    });
    expect(dispatched).toEqual([]);
    let later = '';
    const { code, out } = await cli(RETRY, [
      async () => {
        later = `e-${Date.now() - T0}`;
        await fail(later); // started just now
        return 'y';
      },
    ]);
    expect(code).toBe(0);
    await run();
    expect(await show(idOf(out))).toMatchObject({ counts: { total: 1, succeeded: 1 } });
    expect(dispatched).toHaveLength(1);
    expect((await executions.find(later))?.retriedBy).toBeUndefined();
  });

  test('--yes asks nothing, and Ctrl+C ends only the command', async () => {
    const { cli, failMany, run, show } = await open(() => null);
    await failMany(2);
    const { code, out, err } = await cli(`${RETRY} --yes`, []); // Ctrl+C was pressed
    const id = idOf(out);
    expect([code, err]).toEqual([
      0,
      expect.stringContaining(
        `It continues. Follow it with: bulk-retry watch ${id}; stop it with: bulk-retry cancel ${id}`,
      ),
    ]);
    await run(id);
    expect(await show(id)).toMatchObject({ state: 'running', counts: { open: 2 } });
  });

  test('exits with 1 when it stops by itself, and when executions fail again', async () => {
    const { cli, failMany } = await open(() => 'failed');
    await failMany(30);
    const stopped = await cli(`${RETRY} --stop-at 0.2`);
    expect(stopped).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /It stopped: \d+ of the first \d+ retries have failed again: more than the share of 0.2\.$/,
      ),
    });
    expect(stopped.out).toMatch(/: stopped\n {2}why {7}\d+ of the first/);
    const few = await cli(`${RETRY} --all --failure-name Other`.replace('--workflow greeting ', ''));
    expect(few).toMatchObject({ code: 1, out: '0 executions to retry', err: 'Nothing was started.' });
    const again = await cli(
      `${RETRY} --from-time ${new Date(Date.now() - 10_000).toISOString()} --stop-at 1`,
    );
    expect(again).toMatchObject({ code: 1, err: expect.stringMatching(/\d+ failed again\.$/) });
  });

  test('passes all filters and options on', async () => {
    const { cli, failMany, fail, show } = await open();
    await failMany(3);
    await fail('e-9', { status: 'cancelled' });
    const { out } = await cli(
      `${RETRY} --status failed,cancelled --failure-node call --failure-name HttpStatusError --ran-version 1 --from-time 2026-01-01 --to-time ${new Date().toISOString()} --from call --current --stop-at 0.75 --yes`,
    );
    expect(out).toContain("What can't be retried"); // no checkpoints of theirs are kept
    const started = await cli(`${RETRY} --status cancelled --current --stop-at 0.75`);
    expect(await show(idOf(started.out))).toMatchObject({
      version: 'current',
      rate: 100,
      stopAtFailedShare: 0.75,
      counts: { total: 1, succeeded: 1 },
      filter: { workflowId: 'greeting', status: ['cancelled'] },
    });
  });

  test.each([
    ['execution retry', 'Name an execution, or give --workflow ID or --all.'],
    ['execution retry --workflow a --all', 'Name an execution, or give --workflow ID or --all.'],
    ['execution retry e-1 --workflow a', 'an id takes no filters'],
    ['execution retry e-1 --rate 3', 'an id takes no filters'],
    ['execution retry --workflow a --input -', '--input and --idempotency-key need an id'],
    ['execution retry --workflow a --idempotency-key k', '--input and --idempotency-key need an id'],
    ['execution retry --workflow a --rate many', '"many" is not a number.'],
    ['execution retry --workflow a --ran-version 0', 'A version must be a whole number'],
  ])('%s is a mistake of the command line', async (command, message) => {
    const { call, asked } = await openCommandLine({ hasDatabase: false });
    expect(await call(command)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
    expect(asked).toEqual([]);
  });

  test('of a rate that is too high says so', async () => {
    const { cli } = await open();
    expect(await cli('execution retry --all --rate 1000')).toMatchObject({
      code: 1,
      err: expect.stringContaining('/rate must be an integer from 1 to 100'),
    });
  });
});

describe('bulk-retry', () => {
  test('list, show, watch and cancel follow those that run', async () => {
    const { cli, failMany, start, run, executions, dispatched, whileWaiting } = await open(() => null);
    expect(await cli('bulk-retry list')).toMatchObject({ code: 0, out: '', err: 'No bulk retries.' });
    await failMany(25);
    const id = await start();
    await run(id);
    const progress = '0 of 25 succeeded, 0 failed again, 20 not ended, 5 not started';
    expect((await cli('bulk-retry list')).out.split('\n')).toEqual([
      expect.stringMatching(/^ID +STATE +PROGRESS$/),
      `${id}  running  ${progress}`,
    ]);
    expect((await cli(`bulk-retry show ${id}`)).out).toContain(`  progress  ${progress}`);
    expect(JSON.parse((await cli(`bulk-retry show ${id} --json`)).out)).toMatchObject({
      counts: { open: 20 },
    });
    expect(JSON.parse((await cli('bulk-retry list --json')).out)).toMatchObject({
      bulkRetries: [{ bulkRetryId: id }],
    });
    expect(await cli(`bulk-retry cancel ${id}`)).toEqual({
      code: 0,
      err: '',
      out: `${id}: cancelled, ${progress}`,
    });
    whileWaiting(async () => {
      for (const one of dispatched) await executions.finish(one, anExecutionEnd({ endedAt: Date.now() }));
      await run();
    });
    const watched = await cli(`bulk-retry watch ${id}`);
    expect(watched).toMatchObject({
      code: 0,
      err: `[....................] ${progress}`,
      out: expect.stringContaining('20 of 25 succeeded, 0 failed again, 5 not started'),
    });
    expect(await cli(`bulk-retry cancel ${id}`)).toMatchObject({
      code: 1,
      err: expect.stringContaining('starts no more executions: it is cancelled'),
    });
  });

  test('show says what could not be retried', async () => {
    const { cli, failMany, start, run } = await open();
    await failMany(1);
    const ids = [await start(), await start()];
    for (const id of ids) await run(id);
    expect((await cli(`bulk-retry show ${ids[1]}`)).out).toContain(
      '  refused   e-0: another execution already retries it',
    );
  });

  test.each(['show', 'watch', 'cancel'])('%s of an unknown one is refused', async (command) => {
    const { cli } = await open();
    expect(await cli(`bulk-retry ${command} a/b`)).toMatchObject({
      code: 1,
      err: 'There is no bulk retry with this id, or its record has expired.',
    });
  });
});
