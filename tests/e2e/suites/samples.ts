import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { aPushDelivery } from '../../support/a-push-delivery.ts';
import { json, type RunningProject } from '../../support/a-running-project.ts';
import { readmeExamples } from '../../support/readme-examples.ts';

/** Times are of their own in every answer. */
const withoutTimes = (text: string): unknown =>
  JSON.parse(text, (key, value) => (['durationMs', 'checkedAt', 'generatedAt'].includes(key) ? 0 : value));

/** The project as it is in the repository: the lines of its README, and its sample workflows. */
export const describeSamples = (project: RunningProject): void => {
  const read = (name: string) => readFileSync(join(project.folder, name), 'utf8');
  const ordersApiKey = () => read('.hookloom/orders-api-key').trim();
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    project.post(path, JSON.stringify(body), { ...json, ...headers });

  describe('the README', () => {
    test('its curl lines answer as printed there', async () => {
      const examples = readmeExamples(read('README.md'));
      expect(examples).toHaveLength(3);
      for (const { url, init, answer } of examples) {
        const headers = Object.entries(init.headers).map(([name, value]) => [
          name,
          value.replace('$(cat .hookloom/orders-api-key)', ordersApiKey()),
        ]);
        const response = await fetch(url.replace('http://localhost:3000', project.service.baseUrl), {
          ...init,
          headers: Object.fromEntries(headers),
        });
        expect(withoutTimes(await response.text())).toEqual(withoutTimes(JSON.stringify(answer)));
      }
    });

    test('the service prints such lines, ready to paste, and little else', () => {
      const { announcement } = project.service;
      expect(announcement.trim().split('\n').length).toBeLessThanOrEqual(12);
      const curls = announcement.match(/^ {2}curl .*$/gm) ?? [];
      expect(curls).toHaveLength(4);
      expect(curls[1]).toContain(ordersApiKey());
      expect(curls[2]).toContain('/api/webhook/approval/approval');
      expect(curls[3]).toContain('/api/admin/plugins/health');
    });
  });

  describe('the samples', () => {
    test('orders takes the other branch for a small total', async () => {
      const order = { id: 'A-2', total: 20 };
      const { body } = await post('/api/webhook/orders/orders', order, { 'x-api-key': ordersApiKey() });
      expect(body).toMatchObject({ order: 'A-2', decision: 'approved' });
    });

    test('orders refuses a request without a key, and one with a wrong key, alike', async () => {
      const missing = await post('/api/webhook/orders/orders', { total: 1 });
      const wrong = await post('/api/webhook/orders/orders', { total: 1 }, { 'x-api-key': 'wrong' });
      expect([missing.status, wrong.status]).toEqual([401, 401]);
      expect({ ...missing.body, instance: '' }).toEqual({ ...wrong.body, instance: '' });
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

    test('what is edited counts from the next request on', async () => {
      const file = 'workflows/hello.json';
      project.write(file, read(file).replace('Hello, ', 'Good morning, '));
      await project.service.printed(/hello\.json: hello is at version 2/);
      const { body } = await post('/api/webhook/hello/webhook', { name: 'Ada' });
      expect(body).toEqual({ greeting: 'Good morning, Ada' });
    });

    test('an edit that is not valid is refused with its place, and the version before it goes on', async () => {
      const file = 'workflows/github-push.json';
      const before = read(file);
      project.write(file, before.replace('"webhookTrigger"', '"webhookTriger"'));
      await project.service.printed(/github-push\.json was not stored[\s\S]*\/nodes\/0\/type/);
      expect((await post('/api/webhook/github-push/github', aPushDelivery())).status).toBe(200);
      project.write(file, before);
    });
  });
};
