import { type FileValue, isFileValue, isPlainObject, type JsonObject } from '@hookloom/plugin-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createHttpClient } from '../../../lib/adapters/http-client/http-client.chunk.ts';
import { httpRequest } from '../../../nodes/http-request/http-request.plugin.ts';
import { aLocalServer, type LocalServer } from '../../support/a-local-server.ts';
import { aNodeContext, runNode } from '../../support/a-node-context.ts';

let server: LocalServer;
beforeAll(async () => {
  server = await aLocalServer({
    '/report.pdf': (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/pdf' }).end(Buffer.from([0xff, 0, 1])),
    '/nothing': (_request, response) => response.writeHead(204).end(),
    '/large': (_request, response) => response.end(Buffer.alloc(1_001)),
    '/cut': (_request, response) => {
      response.writeHead(200, { 'content-length': '10' }).write('12345', () => response.destroy());
    },
    '/busy': (_request, response) => response.writeHead(503).end('x'.repeat(50_000)),
    '/upload': (_request, response) => response.end(),
    '/moved': (_request, response) => response.writeHead(307, { location: '/upload' }).end(),
  });
});
afterAll(() => server.close());

/** A context whose files are kept in memory, with a real HTTP client. */
const aContext = () => {
  const context = aNodeContext();
  const http = createHttpClient({ allow: ['127.0.0.1'] });
  return { ...context, services: { ...context.services, http } };
};

const call = (path: string, parameters: JsonObject, context = aContext()) =>
  runNode(httpRequest, 'httpRequest', { url: `${server.origin}${path}`, ...parameters }, {}, context);

const saveFile = ({ services }: ReturnType<typeof aContext>, bytes: Uint8Array, name = 'a.png') =>
  services.files.save(
    (async function* () {
      yield bytes;
    })(),
    { name, mediaType: 'image/png' },
  );

const readFile = async ({ services }: ReturnType<typeof aContext>, file: FileValue) => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of await services.files.open(file)) chunks.push(chunk);
  return Buffer.concat(chunks);
};

describe('a response as a file', () => {
  test('is saved with its name and type, in place of its bytes', async () => {
    const context = aContext();
    const output = await call('/report.pdf', { responseType: 'file' }, context);
    const file = isPlainObject(output) ? output.body : null;
    expect(file).toMatchObject({ name: 'report.pdf', mediaType: 'application/pdf', size: 3 });
    if (!isFileValue(file)) throw new Error('it is no file');
    expect(await readFile(context, file)).toEqual(Buffer.from([0xff, 0, 1]));
  });

  test('may be empty', async () => {
    expect(await call('/nothing', { responseType: 'file' })).toMatchObject({
      status: 204,
      body: { name: 'nothing', mediaType: 'application/octet-stream', size: 0 },
    });
  });

  test('fails beyond maxFileBytes', async () => {
    expect(await call('/large', { responseType: 'file', maxFileBytes: 1_001 })).toMatchObject({
      body: { size: 1_001 },
    });
    await expect(call('/large', { responseType: 'file', maxFileBytes: 1_000 })).rejects.toMatchObject({
      code: 'OUTBOUND_TOO_LARGE',
    });
  });

  test('fails when it is truncated', async () => {
    await expect(call('/cut', { responseType: 'file' })).rejects.toMatchObject({ code: 'OUTBOUND_FAILED' });
  });

  test('with an error status has its start in the error, and is not saved', async () => {
    await expect(call('/busy', { responseType: 'file' })).rejects.toMatchObject({
      details: { status: 503, body: 'x'.repeat(10_000), bodyTruncated: true },
    });
  });

  test('cannot be paginated', async () => {
    await expect(call('/report.pdf', { responseType: 'file', pagination: 'page' })).rejects.toThrow(
      'Parameter "responseType" must be auto or json with pagination, got string',
    );
  });
});

describe('a request with files', () => {
  const lastReceived = () => server.received.at(-1);

  test('sends one unchanged, with its type and length', async () => {
    const context = aContext();
    const body = await saveFile(context, Buffer.from('pixels'));
    await call('/upload', { method: 'PUT', bodyType: 'file', body }, context);
    expect(lastReceived()).toMatchObject({
      method: 'PUT',
      headers: { 'content-type': 'image/png', 'content-length': '6' },
      body: 'pixels',
    });
  });

  test('sends fields and files as multipart of known length', async () => {
    const context = aContext();
    const file = await saveFile(context, Buffer.from('pixels'), 'a "b".png');
    const body = { 'na"me\r\n': 'ü', list: [1, true, null], files: [file, file] };
    await call('/upload', { method: 'POST', bodyType: 'multipart', body }, context);
    const received = lastReceived();
    expect(received?.headers['content-type']).toBe('multipart/form-data; boundary=id-1');
    const text = [
      '--id-1',
      'Content-Disposition: form-data; name="na%22me%0D%0A"',
      '',
      'ü',
      ...['1', 'true', ''].flatMap((value) => [
        '--id-1',
        'Content-Disposition: form-data; name="list"',
        '',
        value,
      ]),
      ...[1, 2].flatMap(() => [
        '--id-1',
        'Content-Disposition: form-data; name="files"; filename="a %22b%22.png"',
        'Content-Type: image/png',
        '',
        'pixels',
      ]),
      '--id-1--',
      '',
    ].join('\r\n');
    expect(received?.body).toBe(text);
    expect(received?.headers['content-length']).toBe(String(Buffer.byteLength(text)));
  });

  test('sends multipart that a receiver can parse', async () => {
    const context = aContext();
    const file = await saveFile(context, Buffer.from('pixels'));
    await call('/upload', { method: 'POST', bodyType: 'multipart', body: { file, a: 'b\r\n--' } }, context);
    const { headers, body } = lastReceived() ?? { headers: {}, body: '' };
    const form = await new Response(body, {
      headers: { 'content-type': headers['content-type'] ?? '' },
    }).formData();
    const [first, second] = [form.get('file'), form.get('a')];
    expect(first).toMatchObject({ name: 'a.png', type: 'image/png', size: 6 });
    expect(second).toBe('b\r\n--');
  });

  test('takes no header line from the media type in a value', async () => {
    const context = aContext();
    const file = await saveFile(context, Buffer.from('pixels'));
    const body = { file: { ...file, mediaType: 'image/png\r\nX-Evil: 1' } };
    await call('/upload', { method: 'POST', bodyType: 'multipart', body }, context);
    expect(lastReceived()?.body).toContain('Content-Type: application/octet-stream\r\n\r\npixels');
  });

  test.each<[string, JsonObject[string], string]>([
    ['file', 'a.png', 'Parameter "body" must be a file, got string'],
    ['file', { $file: 'x' }, 'Parameter "body" must be a file, got object'],
    ['multipart', 'a', 'Parameter "body" must be a map, got string'],
    ['multipart', { a: { b: 1 } }, 'Parameter "body.a" must be a text, a number or a file, got object'],
    ['multipart', { a: [[1]] }, 'Parameter "body.a" must be a text, a number or a file, got array'],
  ])('as %s refuses %j', async (bodyType, body, message) => {
    const before = server.received.length;
    await expect(call('/upload', { method: 'POST', bodyType, body })).rejects.toThrow(new TypeError(message));
    expect(server.received).toHaveLength(before);
  });

  test('fails by name when a file does not exist, or the receiver asks for it twice', async () => {
    const context = aContext();
    const file = await saveFile(context, Buffer.from('pixels'));
    const gone = { ...file, $file: 'execution-1/node-1/0.9' };
    const send = (path: string, body: FileValue) =>
      call(path, { method: 'POST', bodyType: 'file', body }, context);
    await expect(send('/upload', gone)).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    await expect(send('/moved', file)).rejects.toMatchObject({
      code: 'OUTBOUND_FAILED',
      parameters: { reason: 'it redirects, and a streamed body cannot be sent again' },
    });
  });
});
