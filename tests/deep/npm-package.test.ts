import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type InstalledFolder, installFolder, PROGRAM } from '../support/an-installed-folder.ts';
import { type RunningService, sendJson, startLocalService } from '../support/local-service.ts';
import { projectRoot, runCommand } from '../support/run-command.ts';

const work = mkdtempSync(join(tmpdir(), 'hookloom-npm-'));
let installed: InstalledFolder;
let service: RunningService;

beforeAll(async () => {
  const template = join(work, 'template.json');
  writeFileSync(template, '{}');
  installed = await installFolder(work, template);
});
afterAll(async () => {
  await service?.stop();
  rmSync(work, { recursive: true });
});

const read = (file: string): string => readFileSync(join(installed.folder, file), 'utf8');

/** Of a package of the repository: the kit's is its own. */
const versionOf = (folder: string): string =>
  JSON.parse(readFileSync(join(projectRoot, folder, 'package.json'), 'utf8')).version;

interface Locked {
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** The packages that npm installs for some, with their licenses, by our own lock file. */
const licensesOf = (names: readonly string[]): ReadonlyMap<string, string> => {
  const lock = JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8'));
  const all = lock.packages as Readonly<Record<string, Locked>>;
  const found = new Map<string, string>();
  const left = [...names];
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    const { license = '', dependencies = {} } = all[`node_modules/${name}`] ?? {};
    if (!found.has(name)) left.push(...Object.keys(dependencies));
    found.set(name, license);
  }
  return found;
};

/** A workflow that answers with a greeting of the plugin. */
const greet = {
  format: 2,
  id: 'greet',
  name: 'Greet',
  nodes: [
    { id: 'request', type: 'webhookTrigger', parameters: { responseMode: 'lastNode' } },
    { id: 'greet', type: 'acmeChatGreet', parameters: { name: '{{ body.name }}' } },
  ],
  connections: [{ sourceNodeId: 'request', targetNodeId: 'greet' }],
};

test('nothing that is installed with the package has a copyleft license', () => {
  const { dependencies } = JSON.parse(read('node_modules/hookloom/package.json'));
  const licenses = licensesOf(Object.keys(dependencies));
  expect(licenses.size).toBeGreaterThan(50);
  expect([...licenses].filter(([, license]) => license.includes('GPL'))).toEqual([]);
});

test('the package has what npm shows of it, no tests, no types, and no path of this machine', () => {
  const about = JSON.parse(read('node_modules/hookloom/package.json'));
  expect(about).toMatchObject({
    name: 'hookloom',
    license: 'MIT',
    repository: { url: 'git+https://github.com/hookloom/hookloom.git' },
    keywords: expect.arrayContaining(['workflow']),
    engines: { node: '>=22.18' },
    bin: { hookloom: 'bin/hookloom.js' },
  });
  expect(about).not.toHaveProperty('private');
  expect(about).not.toHaveProperty('workspaces');
  expect(installed.packed).toEqual(expect.arrayContaining(['package/README.md', 'package/LICENSE']));
  expect(installed.packed.filter((file) => /\/tests?\/|\.map$|\.tsx$/.test(file))).toEqual([]);
  const named = installed.packed.filter((file) =>
    readFileSync(
      join(installed.folder, 'node_modules/hookloom', file.slice('package/'.length)),
      'latin1',
    ).includes(projectRoot),
  );
  expect(named).toEqual([]);
});

test('init begins a folder whose workflows are valid, and leaves what is there', async () => {
  const begun = await installed.hookloom(['init']);
  expect(begun).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(read('package.json'))).toMatchObject({
    name: 'my-automations',
    devDependencies: {
      hookloom: `^${versionOf('.')}`,
      '@hookloom/plugin-kit': `^${versionOf('packages/plugin-kit')}`,
    },
  });
  expect(read('.gitignore')).toContain('node_modules/');
  expect(await installed.hookloom(['workflow', 'validate', 'workflows'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('hello is valid'),
  });
  expect(await installed.hookloom(['init'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('hookloom.json'),
  });
});

test('start runs the service with the workflows of the folder', async () => {
  service = await startLocalService({
    cwd: installed.folder,
    program: PROGRAM,
    args: ['start', '--port', '0'],
  });
  expect(service.announcement).toContain('with the workflows approval, hello.');
  const url = `${service.baseUrl}/api/webhook/hello/webhook`;
  expect(await sendJson(url, 'POST', { name: 'Ada' })).toEqual({ greeting: 'Hello, Ada' });
  const page = await fetch(`${service.baseUrl}/console`);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('/console/assets/main-')]);
});

test('a plugin of the folder passes its tests, is checked, and runs at once', async () => {
  const created = await installed.hookloom(['plugin', 'create', 'acme-chat']);
  expect(created).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(read('hookloom.json')).plugins).toEqual({ 'acme-chat': './plugins/acme-chat' });
  expect(read('plugins/acme-chat/README.md')).not.toMatch(/npm run|installed\.ts/);
  const tested = await runCommand('npm', ['test', '--prefix', 'plugins/acme-chat'], {
    cwd: installed.folder,
  });
  expect(tested).toMatchObject({ code: 0, stdout: expect.stringMatching(/pass 26\n.*fail 0/) });
  expect(await installed.hookloom(['plugin', 'check', 'plugins/acme-chat'])).toMatchObject({ code: 0 });

  writeFileSync(join(installed.folder, 'greet.json'), JSON.stringify(greet));
  expect(await installed.hookloom(['workflow', 'put', 'greet.json'])).toMatchObject({ code: 0, stderr: '' });
  const url = `${service.baseUrl}/api/webhook/greet/webhook`;
  expect(await sendJson(url, 'POST', { name: 'Ada' })).toMatchObject({ text: 'Hello, Ada' });

  const file = join(installed.folder, 'plugins/acme-chat/index.ts');
  writeFileSync(file, readFileSync(file, 'utf8').replace("'Hello'", "'Good evening'"));
  await service.printed(/plugins\/acme-chat\/index\.ts.*: the next request runs it/);
  expect(await sendJson(url, 'POST', { name: 'Ada' })).toMatchObject({ text: 'Good evening, Ada' });

  writeFileSync(file, 'export default {');
  await service.printed(/the last build stays in use:\nplugins\/acme-chat\/index\.ts:1:\d+ /);
  expect(await sendJson(url, 'POST', { name: 'Ada' })).toMatchObject({ text: 'Good evening, Ada' });
});

test('a mistake in hookloom.json is said with its place', async () => {
  writeFileSync(join(installed.folder, 'hookloom.json'), '{ "plugins": { "acme-chat": "./nowhere" } }');
  expect(await installed.hookloom(['node-type', 'list'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('hookloom.json: /plugins/acme-chat: there is no plugin in ./nowhere'),
  });
});
