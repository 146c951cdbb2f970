import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { aPushDelivery } from '../../support/a-push-delivery.ts';
import { json, type RunningProject } from '../../support/a-running-project.ts';
import { findPeakMemory } from '../../support/find-peak-memory.ts';
import { poll } from '../../support/poll.ts';
import { type ReadmeExample, readmeExamples } from '../../support/readme-examples.ts';
import { projectRoot } from '../../support/run-command.ts';
import type { StandIn } from '../../support/stand-in.ts';

const MEGABYTE = 1_000_000;
/**
 * Of the memory of a process that passes on 90 MB more. Node lets some 64 MB of buffers outside of its heap become garbage before it
 * collects them, and more on a busy machine. A process that held the file would grow by those, and by the file.
 */
const MAX_GROWTH = 100 * MEGABYTE;

/** Of their own in every answer: times, and how much is stored by then. */
const VARYING = ['durationMs', 'checkedAt', 'generatedAt', 'since', 'read'];

const withoutVarying = (text: string): unknown =>
  JSON.parse(text, (key, value) => (VARYING.includes(key) ? 0 : value));

/** The project as it is in the repository: the lines of its README, and its sample workflows. */
export const describeSamples = (project: RunningProject, standIn: StandIn): void => {
  const read = (name: string) => readFileSync(join(project.folder, name), 'utf8');
  const ordersApiKey = () => read('.hookloom/orders-api-key').trim();
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    project.post(path, JSON.stringify(body), { ...json, ...headers });

  /** Makes the request of a curl line, which must be answered as printed below it. */
  const tryExample = async ({ url, init, answer }: ReadmeExample): Promise<void> => {
    const headers = Object.entries(init.headers).map(([name, value]) => [
      name,
      value.replace('$(cat .hookloom/orders-api-key)', ordersApiKey()),
    ]);
    const response = await project.fetch(url.replace('http://localhost:3000', project.service.baseUrl), {
      ...init,
      headers: Object.fromEntries(headers),
    });
    const answered = withoutVarying(await response.text());
    const expected = withoutVarying(JSON.stringify(answer));
    // A deployed service says more of its health.
    if (project.isLive) expect(answered).toEqual(expected);
    else expect(answered).toMatchObject(expected as object);
  };

  const isHealthy = async ({ url }: ReadmeExample): Promise<boolean> => {
    const report = await project.fetch(url.replace('http://localhost:3000', project.service.baseUrl));
    return ((await report.json()) as { readonly status: string }).status === 'healthy';
  };

  const examples = readmeExamples(readFileSync(join(projectRoot, 'docs/samples.md'), 'utf8'));
  const examplesOf = (id: string) => examples.filter(({ url }) => url.includes(`/webhook/${id}/`));

  describe('the README', () => {
    test('its curl lines answer as printed there', async () => {
      const examples = readmeExamples(read('README.md'));
      expect(examples).toHaveLength(3);
      for (const example of examples) {
        // A function that is started for the first time on a busy machine answers its ping too late.
        if (example.url.includes('/plugins/health')) await poll(() => isHealthy(example));
        await tryExample(example);
      }
    });

    test('the service prints such lines, ready to paste', () => {
      const curls = project.service.announcement.match(/^ {2}curl .*$/gm) ?? [];
      expect(curls).toHaveLength(4);
      expect(curls[1]).toContain(ordersApiKey());
      expect(curls.some((line) => line.includes('/api/admin/plugins/health'))).toBe(true);
    });
  });

  test('count-orders counts each order once', async () => {
    const count = async (number: string) => {
      const { status, body } = await post('/api/webhook/count-orders/count', { number });
      return [status, body];
    };
    expect(await count('A-1')).toEqual([201, { orders: 1 }]);
    expect(await count('A-1')).toEqual([200, { known: 'A-1' }]);
    expect(await count('A-2')).toEqual([201, { orders: 2 }]);
  });

  describe('the samples that call out, as documented,', () => {
    const [people] = examplesOf('sync-people') as [ReadmeExample];
    const [copy] = examplesOf('copy-file') as [ReadmeExample];
    /** A sample that calls the stand-in at the port of this test. */
    const readSample = (name: string) =>
      read(`workflows/${name}.json`).replaceAll('http://127.0.0.1:4400', standIn.origin);

    test('sync-people reads the pages with its credential, and sends each person', async () => {
      expect((await fetch(`${standIn.origin}/people`)).status).toBe(401);
      await project.storeWorkflow(JSON.parse(readSample('sync-people')));
      await tryExample(people);
      const sent = () => standIn.output().match(/^POST \/received\/contacts 201$/gm) ?? [];
      // It may print after it has answered.
      await poll(async () => {
        await nextIteration();
        return sent().length >= 7;
      });
      expect(sent()).toHaveLength(7);
    });

    test.each([
      ['paid-order', /^Slack, in C0123456789: Order A-1 is paid: 120 EUR$/m],
      ['import-orders', /^POST \/received\/orders 201\n[\s\S]*^POST \/received\/orders 201\n/m],
      ['place-order', project.isLive ? /^POST \/ 400$/m : /^/], // a stage has a table of its own
      ['mail-report', /^Subject: 7 people$/m],
      ['sort-ticket', /^POST \/llm\/v1\/chat\/completions 200$/m],
    ])('%s answers as printed there', async (id, seen) => {
      const sample = readSample(id);
      // What is the same is not stored again.
      if (sample !== read(`workflows/${id}.json`)) await project.storeWorkflow(JSON.parse(sample));
      const own = examplesOf(id);
      expect(own.length).toBeGreaterThan(0);
      for (const example of own) await tryExample(example);
      await poll(async () => {
        await nextIteration();
        return seen.test(standIn.output());
      });
    });

    test('a file is the response of a webhook, byte for byte', async () => {
      const sample = JSON.parse(readSample('copy-file').replace('/files/100', '/files/1'));
      const [trigger, download] = sample.nodes;
      await project.storeWorkflow({
        ...sample,
        id: 'send-file',
        nodes: [{ ...trigger, parameters: { ...trigger.parameters, lastNodeAnswer: 'file' } }, download],
        connections: sample.connections.slice(0, 1),
      });
      const url = `${project.service.baseUrl}/api/webhook/send-file/copy`;
      const sent = await fetch(url, { method: 'POST', headers: json, body: '{}' });
      const original = await fetch(`${standIn.origin}/files/1`);
      expect(sent.headers.get('content-type')).toBe(original.headers.get('content-type'));
      const [bytes, expected] = await Promise.all([sent, original].map((answer) => answer.bytes()));
      expect(bytes?.length).toBe(MEGABYTE);
      expect(bytes?.every((byte, at) => byte === expected?.[at])).toBe(true);
    });

    test('copy-file passes 100 MB on, in little more memory than 10 MB', async () => {
      const sample = readSample('copy-file');
      await project.storeWorkflow(JSON.parse(sample.replace('/files/100', '/files/10')));
      const copyPath = new URL(copy.url).pathname;
      expect((await project.post(copyPath)).body).toEqual({ bytes: 10 * MEGABYTE, isSame: true });
      const before = findPeakMemory(project.folder);
      await project.storeWorkflow(JSON.parse(sample));
      await tryExample(copy);
      expect(findPeakMemory(project.folder) - before).toBeLessThan(MAX_GROWTH);
    });
  });

  describe('the samples', () => {
    test('orders takes the other branch for a small total', async () => {
      const order = { id: 'A-2', total: 20 };
      const { body } = await post('/api/webhook/orders/orders', order, { 'x-api-key': ordersApiKey() });
      expect(body).toMatchObject({ order: 'A-2', decision: 'approved' });
    });

    test('orders refuses a missing and a wrong key alike', async () => {
      const missing = await post('/api/webhook/orders/orders', { total: 1 });
      const wrong = await post('/api/webhook/orders/orders', { total: 1 }, { 'x-api-key': 'wrong' });
      expect([missing.status, wrong.status]).toEqual([401, 401]);
      expect({ ...missing.body, instance: '' }).toEqual({ ...wrong.body, instance: '' });
    });

    test('products returns the product in the URL, and answers a preflight request', async () => {
      const [product] = examplesOf('products') as [ReadmeExample];
      await tryExample(product);
      const url = `${project.service.baseUrl}${new URL(product.url).pathname}`;
      const origin = 'https://www.shop.example';
      const asked = { 'access-control-request-method': 'PUT' };
      const preflight = await fetch(url, { method: 'OPTIONS', headers: { origin, ...asked } });
      expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([
        204,
        'GET, PUT',
      ]);
      const answer = await fetch(url, { method: 'PUT', headers: { origin } });
      expect(await answer.json()).toEqual({ sku: 'A-7', is: 'replaced' });
      expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
      const head = await fetch(url, { method: 'HEAD' });
      expect([head.status, await head.text()]).toEqual([200, '']);
      const other = await fetch(url, { method: 'POST', headers: { origin } });
      expect([other.status, other.headers.get('allow')]).toEqual([405, 'GET, PUT, HEAD']);
    });

    test('products accepts lists from this machine, but no reviews while it is paused', async () => {
      const url = `${project.service.baseUrl}/api/webhook/products`;
      const list = await fetch(`${url}/products`, { method: 'PUT', headers: json, body: '[{},{}]' });
      expect([list.status, await list.json()]).toEqual([200, { taken: 2 }]);
      expect((await post('/api/webhook/products/reviews', {})).status).toBe(503);
    });

    test('signup redirects the caller with a cookie while its run continues', async () => {
      const response = await fetch(`${project.service.baseUrl}/api/webhook/signup/form`, {
        method: 'POST',
        headers: json,
        body: JSON.stringify({ name: 'Ann' }),
        redirect: 'manual',
      });
      expect(response.status).toBe(303);
      expect(response.headers.get('location')).toBe('https://shop.example/thanks');
      expect(response.headers.getSetCookie()).toEqual([
        'signed-up=yes; Max-Age=86400; HttpOnly; Secure; SameSite=Lax',
      ]);
      const executionId = response.headers.get('hookloom-execution-id');
      const find = async () => (await project.get(`/api/admin/executions/${executionId}`)).body;
      await poll(async () => (await find()).status === 'succeeded');
    });

    test('signup answers an event with its template, and a check with both outputs', async () => {
      const event = await post('/api/webhook/signup/event', { id: 7 });
      expect(event).toMatchObject({ status: 200, body: { received: 7, run: expect.any(String) } });
      const check = await post('/api/webhook/signup/check', { name: 'Ann', email: 'ann@shop.example' });
      expect(check).toMatchObject({ status: 200, body: { name: { length: 3 }, email: { isValid: true } } });
    });

    test('github-push picks repository, pusher and commit messages from a push delivery', async () => {
      const delivery = aPushDelivery();
      const { body } = await post('/api/webhook/github-push/github', delivery);
      expect(body).toEqual({
        repository: delivery.repository.full_name,
        pusher: delivery.pusher.name,
        messages: delivery.commits.map(({ message }) => message),
      });
    });
  });
};

/** Edits of the samples, in a project whose edits are live. */
export const describeEditedSamples = (project: RunningProject): void => {
  const read = (name: string) => readFileSync(join(project.folder, name), 'utf8');
  const post = (path: string, body: unknown) => project.post(path, JSON.stringify(body), json);

  describe('the edited samples', () => {
    test('the service prints lines to paste, and little else', () => {
      const { announcement } = project.service;
      expect(announcement.trim().split('\n').length).toBeLessThanOrEqual(12);
      expect(announcement).toContain('/api/webhook/approval/approval');
    });

    test('an edit counts from the next request on', async () => {
      const file = 'workflows/hello.json';
      project.write(file, read(file).replace('Hello, ', 'Good morning, '));
      await project.service.printed(/hello\.json: hello is now at version 2/);
      const { body } = await post('/api/webhook/hello/webhook', { name: 'Ada' });
      expect(body).toEqual({ greeting: 'Good morning, Ada' });
    });

    test('an invalid edit is refused with its place, and the previous version continues', async () => {
      const file = 'workflows/github-push.json';
      const before = read(file);
      project.write(file, before.replace('"webhookTrigger"', '"webhookTriger"'));
      await project.service.printed(/github-push\.json was not stored[\s\S]*\/nodes\/0\/type/);
      expect((await post('/api/webhook/github-push/github', aPushDelivery())).status).toBe(200);
      project.write(file, before);
    });
  });
};
