import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import type { RunningProject } from '../../support/a-running-project.ts';
import { startLocalService } from '../../support/local-service.ts';
import { runCommand } from '../../support/run-command.ts';

export const describeOtherServices = (project: RunningProject): void => {
  const { cli } = project;
  const startAt = (port: string) =>
    runCommand('npm', ['start', '--silent'], { cwd: project.folder, env: { PORT: port } });

  describe('another npm start in the same folder', () => {
    test('leaves the command line to the first one, and says how to reach the second', async () => {
      const second = await startLocalService({ cwd: project.folder });
      try {
        expect(second.output()).toContain(
          `uses the service that was started first, at ${project.service.baseUrl}`,
        );
        const { port } = new URL(second.baseUrl);
        expect(second.output()).toContain(`HOOKLOOM_PORT=${port} npm run -s cli`);
        await cli('workflow remove hello', { env: { HOOKLOOM_PORT: port } });
        expect((await cli('workflow list')).stdout).toMatch(/hello +enabled/);
        expect((await cli('workflow list', { env: { HOOKLOOM_PORT: port } })).stdout).not.toMatch(
          /hello +enabled/,
        );
      } finally {
        await second.stop();
      }
      expect((await cli('workflow list')).stdout).toMatch(/hello +enabled/);
    });

    test('is refused at the same port, with the reason', async () => {
      const { code, stdout, stderr } = await startAt(new URL(project.service.baseUrl).port);
      expect(code).not.toBe(0);
      expect(stdout + stderr).toMatch(
        /^Port \d+ is in use\. The local service of this folder already runs there \(process \d+\)\./m,
      );
      expect((await cli('workflow list')).stdout).toMatch(/hello +enabled/);
    });
  });

  test('a taken port is reported in one line, with a non-zero exit code', async () => {
    const server = createServer().listen(0, 'localhost');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { code, stdout, stderr } = await startAt(String(port));
    server.close();
    expect(code).not.toBe(0);
    expect(stdout + stderr).toContain(`Port ${port} is in use.`);
    expect(stdout + stderr).not.toMatch(/^\s+at /m); // no stack: it is no mistake in the code
  });
};
