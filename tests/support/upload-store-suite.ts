import { createHash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import type { UploadObject, UploadStore } from '../../lib/executions/files/upload-store.ts';

interface UploadSubject {
  readonly store: UploadStore;
  /** All of an object, as it is stored. */
  read(key: string): Promise<string | null>;
  /** Milliseconds since the epoch. */
  readonly clock: { now(): number; advance(ms: number): void };
}

const content = 'id,total\nA-1,120\n';

export const anUpload = (bytes: string | Uint8Array = content): UploadObject => ({
  key: 'executions/execution-1/files/start/0.1',
  size: Buffer.byteLength(bytes),
  mediaType: 'text/csv; charset=utf-8',
  sha256: createHash('sha256').update(bytes).digest('hex'),
});

type Signed = ReturnType<UploadStore['sign']>;

/** Sends a signed request, on `node:http`: `fetch` refuses a body of another length than its header says. */
export const send = (
  { method, url, headers }: Omit<Signed, 'method'> & { readonly method: string },
  body: string | Uint8Array = content,
): Promise<{ readonly status: number; readonly body: string }> =>
  new Promise((resolve, reject) => {
    httpRequest(url, { method, headers }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    })
      .on('error', reject)
      .end(body);
  });

/** What each store of uploads refuses, and takes. */
export const describeUploadStore = (name: string, start: () => Promise<UploadSubject>): void => {
  const sign = ({ store, clock }: UploadSubject, object = anUpload()) =>
    store.sign(object, { from: clock.now(), seconds: 60 });

  describe(`the upload store of ${name}`, () => {
    test('accepts what was signed, once, and reports its size', async () => {
      const subject = await start();
      const { key, size } = anUpload();
      expect(await subject.store.findSize(key)).toBeNull();
      expect((await send(sign(subject))).status).toBe(200);
      expect(await subject.store.findSize(key)).toBe(size);
      expect(await subject.read(key)).toBe(content);
      expect((await send(sign(subject))).status).toBe(412);
      for (const life of [4, 4, null] as const) await subject.store.keep(key, life);
      expect(await subject.read(key)).toBe(content);
    });

    test('accepts an empty object', async () => {
      const subject = await start();
      expect((await send(sign(subject, anUpload('')), '')).status).toBe(200);
      expect(await subject.store.findSize(anUpload('').key)).toBe(0);
    });

    test.each<[string, (signed: Signed) => Omit<Signed, 'method'> & { readonly method: string }]>([
      [
        'another size',
        (signed) => ({
          ...signed,
          headers: { ...signed.headers, 'content-length': String(content.length - 1) },
        }),
      ],
      [
        'another type',
        (signed) => ({ ...signed, headers: { ...signed.headers, 'content-type': 'text/html' } }),
      ],
      [
        'another hash',
        (signed) => ({
          ...signed,
          headers: { ...signed.headers, 'x-amz-checksum-sha256': createHash('sha256').digest('base64') },
        }),
      ],
      ['another tag', (signed) => ({ ...signed, headers: { ...signed.headers, 'x-amz-tagging': 'a=b' } })],
      [
        'no condition',
        ({ headers: { 'if-none-match': _, ...headers }, ...signed }) => ({ ...signed, headers }),
      ],
      ['another key', (signed) => ({ ...signed, url: signed.url.replace('execution-1', 'execution-2') })],
      ['more time', (signed) => ({ ...signed, url: signed.url.replace('Expires=60', 'Expires=6000') })],
      ['another method', (signed) => ({ ...signed, method: 'DELETE' })],
      ['no signature', (signed) => ({ ...signed, url: signed.url.replace(/&X-Amz-Signature=.*/, '') })],
    ])('refuses %s than was signed', async (_name, spoil) => {
      const subject = await start();
      const spoilt = spoil(sign(subject));
      const body = content.slice(0, Number(spoilt.headers['content-length']));
      expect((await send(spoilt, body)).status).toBeGreaterThanOrEqual(400);
      expect(await subject.store.findSize(anUpload().key)).toBeNull();
    });

    test('refuses other bytes of the same size, and stores none of them', async () => {
      const subject = await start();
      const { status, body } = await send(sign(subject), content.toUpperCase());
      expect([status, body]).toEqual([400, expect.stringContaining('BadDigest')]);
      expect(await subject.store.findSize(anUpload().key)).toBeNull();
    });

    test('refuses content after the time is up', async () => {
      const subject = await start();
      const signed = sign(subject);
      subject.clock.advance(60_000);
      expect((await send(signed)).status).toBe(403);
    });
  });
};
