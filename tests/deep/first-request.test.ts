import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, expect, test } from '@jest/globals';
import { copyProject } from '../support/copy-project.ts';
import { startLocalService } from '../support/local-service.ts';

const project = copyProject();

afterAll(() => project.remove());

const findFreePort = async (): Promise<number> => {
  const server = createServer().listen(0, 'localhost');
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  server.close();
  await once(server, 'close');
  return port;
};

test('a request that comes as soon as the port is open waits until the samples are stored', async () => {
  const port = await findFreePort();
  const starting = startLocalService({ cwd: project.folder, env: { PORT: String(port) } });
  let isUp = false;
  const ended = starting.then(() => {
    isUp = true;
  });
  const greet = async (): Promise<Response> => {
    const request = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"name":"Ada"}',
    };
    const answer = await fetch(`http://localhost:${port}/api/webhook/hello/webhook`, request).catch(
      () => null,
    );
    if (answer === null && isUp) throw new Error('the service is up, and the port is closed');
    return answer ?? greet();
  };
  try {
    const answer = await greet();
    expect([answer.status, await answer.json()]).toEqual([200, { greeting: 'Hello, Ada' }]);
  } finally {
    await ended;
    await (await starting).stop();
  }
});
