import { expect, test } from '@jest/globals';
import { set, workflow } from '../../support/a-project-file.ts';
import type { RunningProject } from '../../support/a-running-project.ts';

export const describeCommandLine = ({ cli, get, write }: RunningProject): void => {
  test('the command line stores a workflow that answers at once, and removes it, and the admin API shows its versions', async () => {
    const trigger = { method: 'GET', path: '/', responseMode: 'lastNode' };
    const definition = workflow('ping', set({ pong: '{{ queryParams.n }}' }), trigger);
    write('ping.json', JSON.stringify({ ...definition, tags: ['shown'] }));
    expect(await cli('workflow put ping.json')).toMatchObject({ code: 0 });
    expect(await get('/api/webhook/ping?n=1')).toEqual({ status: 200, body: { pong: '1' } });
    expect(await cli('workflow disable ping')).toMatchObject({ code: 0 });
    expect((await get('/api/webhook/ping?n=1')).status).toBe(404);
    expect((await get('/api/admin/workflows?tag=shown')).body).toMatchObject({
      count: 1,
      workflows: [{ id: 'ping', enabled: false, version: 2, lastExecution: { status: 'succeeded' } }],
    });
    expect((await get('/api/admin/node-types/set')).status).toBe(200);
    const versions = [{ version: 2 }, { version: 1 }];
    expect((await get('/api/admin/workflows/ping/versions')).body).toMatchObject({ count: 2, versions });
    const first = { version: 1, definition: { enabled: true } };
    expect((await get('/api/admin/workflows/ping/versions/1')).body).toMatchObject(first);
    expect((await get('/api/admin/workflows/ping/diff?from=1&to=2')).body).toMatchObject({
      workflow: [{ path: '/enabled', from: true, to: false }],
    });
    expect(await cli('workflow enable ping')).toMatchObject({ code: 0 });
    expect((await get('/api/webhook/ping?n=2')).body).toEqual({ pong: '2' });
    expect(await cli('workflow remove ping')).toMatchObject({ code: 0 });
    expect((await get('/api/webhook/ping?n=1')).status).toBe(404);
    expect((await get('/api/admin/workflows/ping')).status).toBe(404);
    expect(await cli('workflow rollback ping 1')).toMatchObject({ code: 0 });
    expect(await cli('workflow remove ping')).toMatchObject({ code: 0 });
  });

  test('the service runs the live test of a credential', async () => {
    const create = 'credential create probed --type httpBearer --host api.example.com';
    expect(await cli(create, { stdin: 'the-token-1' })).toMatchObject({ code: 0 });
    expect(await cli('credential test probed')).toMatchObject({
      code: 0,
      stdout: 'probed: warning, it has no testUrl: nothing was called\n',
    });
    expect(await cli('credential remove probed')).toMatchObject({ code: 0 });
  });
};
