import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { set, workflow } from '../../support/a-project-file.ts';
import { json, type RunningProject } from '../../support/a-running-project.ts';
import { projectRoot } from '../../support/run-command.ts';

interface Offer {
  readonly uploadId: string;
  readonly upload: {
    readonly method: string;
    readonly url: string;
    readonly headers: Record<string, string>;
  };
  readonly start: { readonly url: string };
}

export const describeUploads = (project: RunningProject): void => {
  const { post, storeWorkflow } = project;

  const request = (path: string, bytes: Uint8Array, mediaType = 'text/csv') => {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const statement = { name: 'rows.csv', mediaType, size: bytes.byteLength, sha256 };
    return post<Offer>(`${path}?upload`, JSON.stringify(statement), json);
  };

  const put = async ({ upload: { url, ...init } }: Offer, body: Uint8Array): Promise<number> =>
    (await project.fetch(url, { ...init, body: body as NonNullable<RequestInit['body']> })).status;

  describe('uploads', () => {
    test('the commands of the documentation answer as printed there', async () => {
      const page = readFileSync(join(projectRoot, 'docs/webhooks.md'), 'utf8');
      const [, commands = '', answer = ''] =
        /```sh\n(webhook=[\s\S]*?)```\n```json\n([\s\S]*?)```/.exec(page) ?? [];
      const folder = mkdtempSync(join(tmpdir(), 'upload-'));
      const script = commands.replace('http://localhost:3000', project.service.baseUrl);
      const { stdout } = await promisify(execFile)('bash', ['--norc', '-euc', script], {
        cwd: folder,
        env: { ...process.env, ...project.environment },
      });
      rmSync(folder, { recursive: true });
      expect(JSON.parse(stdout)).toEqual(JSON.parse(answer));
    });

    test('a file of 10 MB, more than the gateway takes, is read by the nodes of the run', async () => {
      const rows = 10_000;
      const bytes = Buffer.from(`id,text\n${`A,${'x'.repeat(1_100)}\n`.repeat(rows)}`);
      expect(bytes.byteLength).toBeGreaterThan(10 * 1024 * 1024);
      const path = '/api/webhook/import-upload/import';
      expect((await post(path, bytes, { 'content-type': 'text/csv' })).status).toBe(413);
      const { status, body: offer } = await request(path, bytes);
      expect([status, await put(offer, bytes), await put(offer, bytes)]).toEqual([201, 200, 412]);
      const started = await post(offer.start.url);
      expect(started).toEqual({ status: 200, body: { name: 'rows.csv', bytes: bytes.byteLength, rows } });
      expect(await post(offer.start.url)).toEqual(started);
    });

    test('a refusal by the webhook or the store starts nothing', async () => {
      await storeWorkflow(
        workflow('uploads', set({ size: '{{ body.size }}' }), { upload: { maxBytes: 100 } }),
      );
      const path = '/api/webhook/uploads/webhook';
      const bytes = Buffer.from('id\n1\n');
      expect((await request(path, new Uint8Array(101))).status).toBe(413);
      const { body: offer } = await request(path, bytes);
      expect((await post(offer.start.url)).status).toBe(404);
      expect(await put(offer, Buffer.from('id\n2\n'))).toBe(400);
      const asPage = { ...offer.upload, headers: { ...offer.upload.headers, 'content-type': 'text/html' } };
      expect(await put({ ...offer, upload: asPage }, bytes)).toBe(403);
      expect((await post(offer.start.url)).status).toBe(404);
      expect(await put(offer, bytes)).toBe(200);
      expect((await post(`/api/webhook/import-upload/import?upload=${offer.uploadId}`)).status).toBe(404);
      expect((await post(offer.start.url)).status).toBe(202);
    });
  });
};
