import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { useCommandLine } from '../support/a-command-line.ts';
import { aWorkflow } from '../support/a-workflow.ts';

const openCommandLine = useCommandLine();

/** A folder with two workflows, both stored. */
const aFolder = async () => {
  const commandLine = await openCommandLine();
  const { call, file } = commandLine;
  const folder = dirname(file('flows/greeting.json', aWorkflow()));
  file('flows/second.json', aWorkflow({ id: 'second' }));
  expect((await call(`deploy ${folder}`)).code).toBe(0);
  return { ...commandLine, folder };
};

test('deploying a folder again changes nothing, and nothing drifts', async () => {
  const { call, folder } = await aFolder();
  expect(await call(`deploy ${folder}`)).toEqual({ code: 0, out: 'Nothing differs.', err: '' });
  expect(await call(`drift ${folder}`)).toMatchObject({ code: 0, out: 'Nothing differs.' });
  expect((await call('workflow history greeting --json')).out).toContain('"version": 1');
});

test('diff, drift and a dry run show what differs by node and parameter, and change nothing', async () => {
  const { call, file, folder } = await aFolder();
  file('flows/second.json', aWorkflow({ id: 'second', name: 'Renamed' }));
  file('flows/third.json', aWorkflow({ id: 'third' }));
  rmSync(join(folder, 'greeting.json'));
  const changes = [
    '~ second changes',
    '  ~ /name: "Greeting" → "Renamed"',
    '+ third is new',
    '- greeting is not in the folder',
  ].join('\n');
  expect(await call(`diff ${folder}`)).toMatchObject({ code: 0, out: changes });
  expect(await call(`drift ${folder}`)).toMatchObject({ code: 1, out: changes });
  const { code, out, err } = await call(`deploy --prune --dry-run ${folder}`);
  expect({ code, out }).toEqual({ code: 0, out: `${changes}\nsecond: can be stored\nthird: can be stored` });
  expect(err).toBe('');
  expect((await call('workflow list')).out).toMatch(/^greeting\t.*\nsecond\t.*\tGreeting$/);
});

test('deploys with a message, and prunes only when asked to', async () => {
  const { call, file, folder } = await aFolder();
  file('flows/second.json', aWorkflow({ id: 'second', name: 'Renamed' }));
  rmSync(join(folder, 'greeting.json'));
  const kept = await call(['deploy', folder, '--message', 'Rename the second']);
  expect(kept).toMatchObject({ code: 0, err: 'They stay: --prune removes them.' });
  expect((await call('workflow history second')).out).toMatch(/\n2 .*Rename the second\n1 /);
  const pruned = await call(`deploy ${folder} --prune`);
  expect(pruned).toMatchObject({ code: 0, out: expect.stringMatching(/\ngreeting: removed$/) });
  expect((await call('workflow list')).out).toMatch(/^second\t[^\n]*$/);
});

test.each([
  ['n', 1],
  ['yes', 0],
])('asks on a terminal: %s is exit code %d', async (answer, code) => {
  const { call, file, folder } = await aFolder();
  file('flows/second.json', aWorkflow({ id: 'second', name: 'Renamed' }));
  const answered = await call(`deploy ${folder}`, [answer]);
  expect(answered).toMatchObject({ code, err: expect.stringContaining('Make this change? [y/N] ') });
  expect((await call('workflow list')).out.includes('Renamed')).toBe(code === 0);
});

test('stores nothing if one file can’t be stored, and says where its problem is', async () => {
  const { call, file, folder } = await aFolder();
  const bad = file('flows/bad.json', aWorkflow({ id: 'bad', nodes: [] }));
  file('flows/second.json', aWorkflow({ id: 'second', name: 'Renamed' }));
  expect(await call(`deploy ${folder}`)).toMatchObject({
    code: 1,
    err: expect.stringContaining(`${bad}:1:`),
  });
  expect((await call('workflow list')).out).not.toContain('Renamed');
});

test('pull writes what differs, keeps names and $schema of files, and files that need no change', async () => {
  const { call, file, folder } = await aFolder();
  file('other/w.json', aWorkflow({ id: 'second', name: 'Of somebody else' }));
  await call(`workflow put ${join(dirname(folder), 'other')}`);
  await call(`workflow put ${file('third.json', aWorkflow({ id: 'third' }))}`);
  const renamed = { $schema: './workflow.schema.json', ...aWorkflow({ id: 'second' }) };
  rmSync(join(folder, 'second.json'));
  file('flows/sub/my-name.json', renamed);
  file('flows/local.json', aWorkflow({ id: 'local' }));
  const before = readFileSync(join(folder, 'greeting.json'), 'utf8');
  const { code, out, err } = await call(`pull ${folder}`);
  expect(code).toBe(0);
  expect(out).toBe(
    [`second: changed, ${folder}/sub/my-name.json`, `third: new, ${folder}/third.json`].join('\n'),
  );
  expect(err).toBe(`${folder}/local.json: the service has no workflow local`);
  expect(readFileSync(join(folder, 'greeting.json'), 'utf8')).toBe(before);
  const pulled = JSON.parse(readFileSync(join(folder, 'sub/my-name.json'), 'utf8'));
  expect(pulled).toMatchObject({ $schema: './workflow.schema.json', name: 'Of somebody else' });
  rmSync(join(folder, 'local.json'));
  expect(await call(`drift ${folder}`)).toMatchObject({ code: 0 });
});

test('pull writes nothing if a name is taken by the file of another workflow', async () => {
  const { call, file, folder } = await aFolder();
  rmSync(join(folder, 'greeting.json'));
  const taken = file('flows/greeting.json', aWorkflow({ id: 'other' }));
  const before = readFileSync(taken, 'utf8');
  const { code, err } = await call(`pull ${folder}`);
  expect([code, err]).toEqual([
    1,
    `${taken} holds the workflow other: rename it, so that greeting can be written there.`,
  ]);
  expect(readFileSync(taken, 'utf8')).toBe(before);
});

test('pull makes the folder, and what it writes is stable', async () => {
  const { call, folder } = await aFolder();
  const target = join(folder, '../pulled');
  expect(await call(`pull ${target}`)).toMatchObject({ code: 0 });
  expect(readdirSync(target).sort()).toEqual(['greeting.json', 'second.json']);
  const first = readFileSync(join(target, 'greeting.json'), 'utf8');
  expect(Object.keys(JSON.parse(first))).toEqual(['id', 'name', 'enabled', 'nodes', 'connections']);
  expect(await call(`pull ${target}`)).toEqual({ code: 0, out: '', err: '' });
  expect(await call(`drift ${target}`)).toMatchObject({ code: 0 });
});

test('a workflow that somebody changes between plan and deployment is not overwritten', async () => {
  const { call, file, folder, asked } = await aFolder();
  file('flows/second.json', aWorkflow({ id: 'second', name: 'Mine' }));
  file('other/w.json', aWorkflow({ id: 'second', name: 'Theirs' }));
  const other = join(dirname(folder), 'other');
  const meanwhile = async () => {
    await call(`workflow put ${other}`);
    return 'y';
  };
  const answered = call(`deploy ${folder}`, [meanwhile]);
  expect(await answered).toMatchObject({
    code: 1,
    err: expect.stringContaining('was changed in the meantime'),
  });
  expect((await call('workflow list')).out).toContain('Theirs');
  expect(asked).toContain('PUT /api/admin/workflows');
});
