import { brotliCompressSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { RunningProject } from '../../support/a-running-project.ts';

/** Bodies of every type, as clients send them. */
export const describeWebhookBodies = (project: RunningProject): void => {
  const send = (path: string, body: string | Uint8Array, headers: Record<string, string>) =>
    project.post(`/api/webhook/bodies/${path}`, body, headers);
  const bytes = (...values: number[]) => Uint8Array.from(values);

  describe('the bodies of a webhook', () => {
    beforeAll(() =>
      project.storeWorkflow({
        id: 'bodies',
        name: 'bodies',
        enabled: true,
        nodes: [
          ['auto', {}],
          ['raw', { raw: true }],
          ['lines', { type: 'ndjson' }],
        ].map(([id, body]) => ({
          id,
          type: 'webhookTrigger',
          parameters: { path: `/${id}`, responseMode: 'lastNode', body },
        })),
        connections: [],
      } as { id: string }),
    );

    test.each<[string, string, string | Uint8Array, Record<string, string>, unknown]>([
      [
        'JSON lines',
        'auto',
        '{"a":1}\n{"a":2}\n',
        { 'content-type': 'application/x-ndjson' },
        [{ a: 1 }, { a: 2 }],
      ],
      ['JSON lines of another type', 'lines', '1\n2', { 'content-type': 'text/plain' }, [1, 2]],
      [
        'XML',
        'auto',
        '<a b="1"><c>x</c></a>',
        { 'content-type': 'application/xml' },
        { a: { '@b': '1', c: 'x' } },
      ],
      ['a charset', 'auto', bytes(0x80, 0xe9), { 'content-type': 'text/plain; charset=windows-1252' }, '€é'],
      [
        'gzip',
        'auto',
        gzipSync('{"a":"é"}'),
        { 'content-type': 'application/json', 'content-encoding': 'gzip' },
        { a: 'é' },
      ],
      [
        'br',
        'auto',
        brotliCompressSync('<a>é</a>'),
        { 'content-type': 'text/xml', 'content-encoding': 'br' },
        { a: 'é' },
      ],
    ])('%s', async (_case, path, sent, headers, body) => {
      expect(await send(path, sent, headers)).toMatchObject({ status: 200, body: { body } });
    });

    test('other bodies are files', async () => {
      const answer = await send('auto', bytes(0x89, 0x50, 0x4e, 0x47), { 'content-type': 'image/png' });
      const file = { $file: expect.any(String), name: 'body', mediaType: 'image/png', size: 4 };
      expect(answer).toMatchObject({ status: 200, body: { body: file } });
    });

    test('rawBody is the received body, as text or base64', async () => {
      const text = await send('raw', '{ "a": 1 }\n', { 'content-type': 'application/json' });
      expect(text.body).toMatchObject({ body: { a: 1 }, rawBody: '{ "a": 1 }\n' });
      const latin1 = await send('raw', bytes(0xe9), { 'content-type': 'text/plain; charset=latin1' });
      expect(latin1.body).toMatchObject({ body: 'é', rawBody: { base64: '6Q==' } });
    });

    test.each<[number, string, string | Uint8Array, Record<string, string>]>([
      [400, 'a line that is broken', '1\n{', { 'content-type': 'application/x-ndjson' }],
      [400, 'bytes that are not UTF-8', bytes(0xe9), { 'content-type': 'text/plain' }],
      [400, 'gzip that is none', '{}', { 'content-encoding': 'gzip' }],
      [413, 'a bomb', gzipSync(new Uint8Array(8_000_000)), { 'content-encoding': 'gzip' }],
      [415, 'another coding', '{}', { 'content-encoding': 'zstd' }],
      [415, 'another charset', 'x', { 'content-type': 'text/plain; charset=klingon' }],
    ])('%i: %s', async (status, _case, sent, headers) => {
      expect(await send('auto', sent, headers)).toMatchObject({ status, body: { status } });
    });

    test('the sample reads the file of a form', async () => {
      const form = new FormData();
      form.append('shop', 'Tea & Cö');
      form.append(
        'prices',
        new File(['product,price\nAssam,4.20\nSencha,6'], 'prices.csv', { type: 'text/csv' }),
      );
      const url = `${project.service.baseUrl}/api/webhook/price-list/upload`;
      const answer = await fetch(url, { method: 'POST', body: form });
      expect([answer.status, await answer.json()]).toEqual([
        200,
        { shop: 'Tea & Cö', file: 'prices.csv', products: 2, first: 'Assam' },
      ]);
    });
  });
};
