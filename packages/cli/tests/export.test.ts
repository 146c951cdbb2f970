import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { useCommandLine } from '../../../tests/support/a-command-line.ts';
import { aWorkflow } from '../../../tests/support/a-workflow.ts';

const openCommandLine = useCommandLine();

/** Two workflows, the first of which has two versions. */
const open = async () => {
  const line = await openCommandLine();
  const { call, file } = line;
  const folder = dirname(file('first.json', aWorkflow({ name: 'Old' })));
  await call(`workflow put ${join(folder, 'first.json')}`);
  await call(`workflow put ${file('first.json', aWorkflow())} ${file('b.json', aWorkflow({ id: 'b' }))}`);
  return { ...line, folder };
};

test('prints the file that pull writes, which put takes without a new version', async () => {
  const { call, folder, file } = await open();
  const { code, out, err } = await call('workflow export greeting');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  await call(`pull ${join(folder, 'pulled')}`);
  expect(`${out}\n`).toBe(readFileSync(join(folder, 'pulled/greeting.json'), 'utf8'));
  expect(Object.keys(JSON.parse(out)).slice(0, 3)).toEqual(['id', 'name', 'enabled']);
  expect((await call(`workflow put ${file('again.json', out)}`)).out).toContain('unchanged, version 2');
  expect(JSON.parse((await call('workflow export greeting --version 1')).out).name).toBe('Old');
});

test('writes one workflow to a file, and several into a folder that it creates', async () => {
  const { call, folder } = await open();
  const one = join(folder, 'one.json');
  expect(await call(`workflow export greeting -o ${one}`)).toEqual({
    code: 0,
    out: `greeting: version 2, ${one}`,
    err: '',
  });
  const out = join(folder, 'new/out');
  expect((await call(`workflow export greeting b b --output ${out}`)).out).toBe(
    `greeting: version 2, ${out}/greeting.json\nb: version 1, ${out}/b.json`,
  );
  expect(readFileSync(join(out, 'greeting.json'))).toEqual(readFileSync(one));
  expect(await call(`workflow export b -o ${join(folder, 'slash')}/`)).toMatchObject({ code: 0 });
  expect(readdirSync(join(folder, 'slash'))).toEqual(['b.json']);
  expect((await call(`drift ${out}`)).code).toBe(0);
});

test('writes nothing if one workflow is missing', async () => {
  const { call, folder } = await open();
  const out = join(folder, 'out');
  expect(await call(`workflow export greeting none --output ${out}`)).toMatchObject({
    code: 1,
    err: expect.stringContaining('none'),
  });
  expect(readdirSync(folder)).not.toContain('out');
});

test.each([
  ['a file in a folder that is not there', 'none/one.json', 'no such folder'],
  ['a file below a file', 'first.json/one.json', 'is not a folder'],
])('says what is wrong with %s', async (_what, path, message) => {
  const { call, folder } = await open();
  const { code, err } = await call(`workflow export greeting -o ${join(folder, path)}`);
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(message) });
});

test('says what is wrong with a folder that is a file', async () => {
  const { call, folder } = await open();
  writeFileSync(join(folder, 'taken'), '');
  const { code, err } = await call(`workflow export greeting b -o ${join(folder, 'taken')}`);
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('taken: is not a folder') });
});

test('validate says of each file of a folder what is wrong, and where', async () => {
  const { call, folder } = await open();
  mkdirSync(join(folder, 'flows/deep/.git'), { recursive: true });
  const write = (name: string, content: unknown) =>
    writeFileSync(join(folder, 'flows', name), JSON.stringify(content, null, 2));
  write('good.json', aWorkflow({ id: 'good' }));
  write('deep/bad.json', { ...aWorkflow({ id: 'bad' }), connections: 7 });
  write('deep/worse.json', { id: 'worse' });
  write('deep/.git/no.json', 'not read');
  write('credentials.stage.json', {});
  const { code, out, err } = await call(`workflow validate ${join(folder, 'flows')}`);
  expect(code).toBe(1);
  expect(out).toBe(`${join(folder, 'flows/good.json')}: good is valid`);
  expect(err).toMatch(/flows\/deep\/bad\.json:\d+:\d+: \/connections .*\n.*flows\/deep\/worse\.json:1:1: /s);
  expect(err).not.toContain('.git');
});
