import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { aLocalServer, type LocalServer } from '../support/a-local-server.ts';
import { copyProject } from '../support/copy-project.ts';
import { type RunningService, startLocalService } from '../support/local-service.ts';
import { poll } from '../support/poll.ts';
import { runCommand } from '../support/run-command.ts';

let project: { readonly folder: string; remove(): void };
let service: RunningService;
let target: LocalServer;

/** A workflow of a trigger and one node, of which the caller sees the output. */
const workflow = (id: string, node: object, trigger: object = { responseMode: 'lastNode' }) => ({
  id,
  name: id,
  enabled: true,
  nodes: [
    { id: 'in', type: 'webhookTrigger', parameters: trigger },
    { id: 'out', ...node },
  ],
  connections: [{ sourceNodeId: 'in', targetNodeId: 'out' }],
});

const set = (values: object) => ({ type: 'set', parameters: { values } });

const writeWorkflow = (definition: { readonly id: string }): void =>
  writeFileSync(join(project.folder, `workflows/${definition.id}.json`), JSON.stringify(definition));

/** A plugin of one node type. @param execute its source */
const plugin = (id: string, execute: string): string => `export default {
  id: '${id}', name: '${id}', version: '1.0.0', description: 'Of a test', category: 'test',
  handles: [{ id: '${id}', name: '${id}', description: 'Of a test', kind: 'action', pure: true,
    schema: { type: 'object' }, execute: ${execute} }],
};`;

const addPlugin = (id: string, execute: string): void => {
  writeFileSync(join(project.folder, `plugins/${id}.ts`), plugin(id, execute));
  const list = join(project.folder, 'plugins/installed.ts');
  const line = `  unified('${id}', () => import('./${id}.ts')),\n];`;
  writeFileSync(list, readFileSync(list, 'utf8').replace(/\];\s*$/, line));
};

beforeAll(async () => {
  project = copyProject();
  target = await aLocalServer({ '/': (_request, response) => response.end('reached') });
  const echo = set({ body: '{{ body }}', header: '{{ headers.`x-list` }}', path: '{{ requestPath }}' });
  writeWorkflow(workflow('echo', echo, { responseMode: 'lastNode', path: '/a b' }));
  writeWorkflow(workflow('outside', { type: 'httpRequest', parameters: { url: target.origin } }));
  service = await startLocalService({
    cwd: project.folder,
    env: { OUTBOUND_ALLOW: '127.0.0.1', LOG_LEVEL: 'warn' },
  });
});

afterAll(async () => {
  await service?.stop();
  await target?.close();
  project?.remove();
});

const post = async (path: string, body?: string | Uint8Array, headers: Record<string, string> = {}) => {
  const response = await fetch(`${service.baseUrl}${path}`, { method: 'POST', headers, body: body ?? null });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
};

describe('the gateway, in front of the functions', () => {
  const json = { 'content-type': 'application/json' };

  test.each(['false', '0', '"asd"', 'null', '[1]', '{"a":1}'])('takes %s for a JSON body', async (body) => {
    expect(await post('/api/webhook/echo/a%20b', body, json)).toMatchObject({
      status: 200,
      body: { body: JSON.parse(body), path: '/api/webhook/echo/a b' },
    });
  });

  test('hands over the bytes of an image, and all of a repeated header', async () => {
    const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff, 0xfe, 0x80]);
    const call = request(`${service.baseUrl}/api/webhook/echo/a%20b`, {
      method: 'POST',
      headers: { 'content-type': 'image/png', 'x-list': ['1', '2'] },
    });
    const answer = new Promise<Buffer>((resolve, reject) => {
      call.once('response', (response) => buffer(response).then(resolve, reject)).once('error', reject);
    });
    call.end(bytes);
    expect(JSON.parse(String(await answer))).toMatchObject({
      body: { base64: bytes.toString('base64'), contentType: 'image/png' },
      header: '1,2',
    });
  });

  test('keeps a trailing slash, which makes another path; lets workflows answer OPTIONS', async () => {
    expect((await post('/api/webhook/echo/a%20b/', '{}', json)).status).toBe(404);
    const options = await fetch(`${service.baseUrl}/api/webhook/echo/a%20b`, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([405, 'POST']);
  });

  test('gives each request its own id', async () => {
    const answers = await Promise.all([1, 2].map(() => post('/api/webhook/none/webhook', '{}', json)));
    expect(new Set(answers.map(({ body }) => body.instance)).size).toBe(2);
  });

  test('functions see the environment of npm start', async () => {
    expect(await post('/api/webhook/outside/webhook')).toMatchObject({
      status: 200,
      body: { status: 200, body: 'reached' },
    });
  });
});

describe('edits', () => {
  const shown = async (path: string, edit: string) => (await post(path)).body?.edit === edit;

  test('of workflows, plugins and functions are live, 50 in a row, and no request fails meanwhile', async () => {
    addPlugin('edited', "() => ({ edit: 'none' })");
    writeWorkflow(workflow('plugged', { type: 'edited' })); // refused until the plugin is known
    await poll(() => shown('/api/webhook/plugged/webhook', 'none'));

    const statuses = new Set<number>();
    let isOn = true;
    const caller = async () => {
      await poll(async () => {
        statuses.add((await post('/api/webhook/plugged/webhook')).status);
        return !isOn;
      });
    };
    const calls = caller();
    for (let at = 0; at < 50; at++) {
      const edit = `edit ${at}`;
      switch (at % 5) {
        case 0:
          writeFileSync(
            join(project.folder, 'plugins/edited.ts'),
            plugin('edited', `() => ({ edit: '${edit}' })`),
          );
          await poll(() => shown('/api/webhook/plugged/webhook', edit));
          break;
        case 1: {
          const code = `export const handler = async () => ({ edit: '${edit}' });`;
          writeFileSync(join(project.folder, 'functions/admin/debug.ts'), code);
          await poll(async () => {
            const response = await fetch(`${service.baseUrl}/api/admin/debug`);
            return ((await response.json()) as { edit?: string }).edit === edit;
          });
          break;
        }
        default:
          writeWorkflow(workflow('hello', set({ edit })));
          await poll(() => shown('/api/webhook/hello/webhook', edit));
      }
    }
    isOn = false;
    await calls;
    expect([...statuses]).toEqual([200]);
  }, 180_000);

  test('that can’t be built are said, with their place, and the code before goes on', async () => {
    const file = join(project.folder, 'plugins/edited.ts');
    const before = readFileSync(file, 'utf8');
    writeFileSync(file, 'export default ;');
    await service.printed(/can't be built[\s\S]*plugins\/edited\.ts:1:16/);
    expect((await post('/api/webhook/plugged/webhook')).status).toBe(200);
    writeFileSync(file, before.replace(/edit: '[^']*'/, "edit: 'mended'"));
    await poll(() => shown('/api/webhook/plugged/webhook', 'mended'));
  });

  test('of a workflow’s id, and its file’s end, remove the workflow, and say so', async () => {
    writeWorkflow(workflow('first', set({ edit: 'first' })));
    await poll(() => shown('/api/webhook/first/webhook', 'first'));
    const file = join(project.folder, 'workflows/first.json');
    writeFileSync(file, JSON.stringify(workflow('second', set({ edit: 'second' }))));
    await service.printed(/workflows\/first\.json defines second now: first was removed/);
    expect((await post('/api/webhook/first/webhook')).status).toBe(404);
    rmSync(file);
    await service.printed(/workflows\/first\.json is gone: second was removed/);
    expect((await post('/api/webhook/second/webhook')).status).toBe(404);
  });
});

describe('a plugin', () => {
  test.each([
    [
      'leaves a rejection to nobody',
      "() => { void Promise.reject(new Error('late')); return { edit: 'ok' }; }",
    ],
    [
      'throws when it has returned',
      "() => { setTimeout(() => { throw new Error('late'); }); return { edit: 'ok' }; }",
    ],
    ['ends its process', "() => { setTimeout(() => process.exit(1)); return { edit: 'ok' }; }"],
  ])('that %s hurts no other request', async (what, execute) => {
    const id = what.replaceAll(' ', '');
    addPlugin(id, execute);
    writeWorkflow(workflow(id, { type: id }));
    await poll(async () => (await post(`/api/webhook/${id}/webhook`)).status !== 404);
    for (let at = 0; at < 5; at++) {
      await post(`/api/webhook/${id}/webhook`); // its own answer may be lost with its process
      expect(await post('/api/webhook/plugged/webhook')).toMatchObject({
        status: 200,
        body: { edit: 'mended' },
      });
    }
  });
});

describe('background runs', () => {
  test('many at once all end well', async () => {
    writeWorkflow(workflow('many', set({ a: 1 }), { responseMode: 'onReceived' }));
    await service.printed(/many is at version 1 now/);
    const accepted = await Promise.all(Array.from({ length: 100 }, () => post('/api/webhook/many/webhook')));
    expect(new Set(accepted.map(({ status }) => status))).toEqual(new Set([202]));
    const open = new Set(accepted.map(({ body }) => body.executionId));
    await poll(async () => {
      const [id] = open;
      const { status } = (await (await fetch(`${service.baseUrl}/api/admin/executions/${id}`)).json()) as {
        status: string;
      };
      if (['accepted', 'running'].includes(status)) return false;
      expect(status).toBe('succeeded');
      open.delete(id);
      return open.size === 0;
    });
    expect(service.output()).not.toContain('its process failed');
  });
});

describe('another npm start in the same folder', () => {
  const cli = (args: string, env: Record<string, string> = {}) =>
    runCommand('npm', ['run', '-s', 'cli', '--', ...args.split(' ')], { cwd: project.folder, env });

  test('leaves the command line to the first one, and says how to reach the second', async () => {
    const second = await startLocalService({ cwd: project.folder });
    try {
      expect(second.output()).toContain(`uses the service that was started first, at ${service.baseUrl}`);
      const port = new URL(second.baseUrl).port;
      expect(second.output()).toContain(`HOOKLOOM_PORT=${port} npm run -s cli`);
      await cli('workflow remove hello', { HOOKLOOM_PORT: port });
      expect((await cli('workflow list')).stdout).toContain('hello\tenabled');
      expect((await cli('workflow list', { HOOKLOOM_PORT: port })).stdout).not.toContain('hello\tenabled');
    } finally {
      await second.stop();
    }
    expect((await cli('workflow list')).stdout).toContain('hello\tenabled');
  });

  test('is refused at the same port, with a sentence that says why', async () => {
    const port = new URL(service.baseUrl).port;
    const { code, stdout, stderr } = await runCommand('npm', ['start', '--silent'], {
      cwd: project.folder,
      env: { PORT: port },
    });
    expect(code).not.toBe(0);
    expect(stdout + stderr).toMatch(
      /^Port \d+ is taken\. The local service of this folder is up there \(process \d+\)\./m,
    );
    expect((await cli('workflow list')).stdout).toContain('hello\tenabled');
  });
});
