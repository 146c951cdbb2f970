import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { projectRoot, runCli, runCommand } from '../support/run-command.ts';

const page = readFileSync(join(projectRoot, 'docs/plugins.md'), 'utf8');
const credentialsPage = readFileSync(join(projectRoot, 'docs/credentials.md'), 'utf8');

/** The first code after a text. */
const codeAfter = (text: string, source: string): string => {
  const [, code] = /\n```ts\n([\s\S]*?)```/.exec(source.slice(source.indexOf(text))) ?? [];
  if (code === undefined) throw new Error(`the page has no code after ${text}`);
  return code;
};

/** What the guide says of a list over pages, with the credential type of the page on credentials. */
const testOfPages = `
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeTypeChecks, runNode } from '@hookloom/plugin-kit/testing';
import { deskToken } from './desk-token.ts';
import { listTickets } from './list-tickets.ts';

const url = 'https://acme.desk.example/api/tickets?state=open';
const headers = { authorization: 'Bearer desk-token-1' };
const example = {
  credential: { type: deskToken, fields: { token: 'desk-token-1', baseUrl: 'https://acme.desk.example/api' } },
  http: [
    { request: { url, headers }, answer: { json: { tickets: [{ id: 1 }], next: 'c2' } } },
    { request: { url: url + '&cursor=c2', headers }, answer: { json: { tickets: [{ id: 2 }], next: null } } },
  ],
};
for (const { name, run } of nodeTypeChecks(listTickets, example)) test(name, run);

test('lists all pages', async () => {
  const { outputs } = await runNode(listTickets, example);
  assert.deepEqual(outputs.main, { tickets: [{ id: 1 }, { id: 2 }], complete: true });
});

test('says when there are more', async () => {
  const { outputs } = await runNode(listTickets, { ...example, parameters: { limit: 1 } });
  assert.deepEqual(outputs.main, { tickets: [{ id: 1 }], complete: false });
});

test('waits as Retry-After says', async () => {
  const http = () => ({ status: 429, headers: { 'Retry-After': '7' } });
  await assert.rejects(runNode(listTickets, { ...example, http }), { isRetryable: true, retryAfterMs: 7_000 });
});

test('the live test sends the token', async () => {
  const http = { request: async (request) => ({ status: request.headers.authorization === headers.authorization ? 200 : 401 }) };
  assert.deepEqual(await deskToken.test(example.credential.fields, { http }), { status: 'healthy' });
  assert.equal((await deskToken.test({ ...example.credential.fields, token: 'b' }, { http })).status, 'unhealthy');
});
`;

const folder = mkdtempSync(join(tmpdir(), 'hookloom-guide-'));
const plugin = join(folder, 'nodes/tickets');

beforeAll(() => {
  mkdirSync(plugin, { recursive: true });
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(plugin, 'package.json'), '{"type":"module"}');
  for (const name of ['index.ts', 'examples.ts', 'index.test.ts', 'list-tickets.ts'])
    writeFileSync(join(plugin, name), codeAfter(`\`nodes/tickets/${name}\``, page));
  writeFileSync(join(plugin, 'desk-token.ts'), codeAfter('## A type of your own', credentialsPage));
  writeFileSync(join(plugin, 'list-tickets.test.ts'), testOfPages);
});
afterAll(() => rmSync(folder, { recursive: true }));

test('the guide’s plugin passes its own tests', async () => {
  const { code, stdout } = await runCommand('node', ['--test'], { cwd: plugin });
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/pass \d+\n.*fail 0/) });
});

test('it is checked as the guide shows', async () => {
  const { code, stdout, stderr } = await runCli(['plugin', 'check', plugin], { cwd: projectRoot });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(page).toContain(`\n\`\`\`\n${stdout}\`\`\`\n`);
});
