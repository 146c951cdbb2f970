import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { aLocalServer, type LocalServer } from '../../support/a-local-server.ts';
import { set, workflow } from '../../support/a-project-file.ts';
import { json, type RunningProject } from '../../support/a-running-project.ts';

export const describeGateway = (project: RunningProject): void => {
  const { post, storeWorkflow } = project;

  describe('the gateway, in front of the functions', () => {
    let target: LocalServer;

    beforeAll(async () => {
      target = await aLocalServer({ '/': (_request, response) => response.end('reached') });
      const echo = set({ body: '{{ body }}', header: '{{ headers.`x-list` }}', path: '{{ requestPath }}' });
      await storeWorkflow(workflow('echo', echo, { responseMode: 'lastNode', path: '/a b' }));
      await storeWorkflow(workflow('outside', { type: 'httpRequest', parameters: { url: target.origin } }));
    });

    afterAll(() => target?.close());

    test.each(['false', '0', '"asd"', 'null', '[1]', '{"a":1}'])(
      'accepts %s for a JSON body',
      async (body) => {
        expect(await post('/api/webhook/echo/a%20b', body, json)).toMatchObject({
          status: 200,
          body: { body: JSON.parse(body), path: '/api/webhook/echo/a b' },
        });
      },
    );

    test('passes on the bytes of an image, and every repeated header', async () => {
      const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff, 0xfe, 0x80]);
      const call = request(`${project.service.baseUrl}/api/webhook/echo/a%20b`, {
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
      const options = await fetch(`${project.service.baseUrl}/api/webhook/echo/a%20b`, { method: 'OPTIONS' });
      expect([options.status, options.headers.get('allow')]).toEqual([405, 'POST']);
    });

    test('gives each request its own id', async () => {
      const answers = await Promise.all([1, 2].map(() => post('/api/webhook/none/webhook', '{}', json)));
      expect(new Set(answers.map(({ body }) => body.instance)).size).toBe(2);
    });

    test('passes the service’s environment to functions', async () => {
      expect(await post('/api/webhook/outside/webhook')).toMatchObject({
        status: 200,
        body: { status: 200, body: 'reached' },
      });
    });
  });
};
