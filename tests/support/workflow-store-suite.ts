import { describe, expect, test } from '@jest/globals';
import { isAppError } from '../../lib/shared/errors.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import type { PathConfig } from '../../lib/workflows/definition/path-config.ts';
import type { WorkflowStore } from '../../lib/workflows/definition/workflow-store.ts';

const definition = (changes: Partial<WorkflowDefinition> = {}): WorkflowDefinition => ({
  id: 'orders',
  name: 'Orders',
  enabled: true,
  nodes: [{ id: 'start', type: 'webhookTrigger', parameters: { path: '/orders' } }],
  connections: [],
  ...changes,
});

const pathConfig: PathConfig = {
  path: '/orders',
  method: 'POST',
  authentication: 'apiKey',
  credentialId: 'partner',
  responseMode: 'lastNode',
  triggerNodeId: 'start',
  execution: 'express',
  deduplication: 'github',
};

/** The contract of {@link WorkflowStore}. @param create - makes an empty one */
export const describeWorkflowStore = (name: string, create: () => WorkflowStore | Promise<WorkflowStore>) => {
  describe(`${name} keeps workflows`, () => {
    test('an unknown workflow is null, and so is an unknown version', async () => {
      const store = await create();
      await store.put(definition(), []);
      expect(await store.find('other')).toBeNull();
      expect(await store.findVersion('other', 1)).toBeNull();
      expect(await store.findVersion('orders', 2)).toBeNull();
    });

    test('a stored one is found, with its path configs', async () => {
      const store = await create();
      expect(await store.put(definition(), [pathConfig])).toEqual({ version: 1, changed: true });
      expect(await store.find('orders')).toEqual({
        version: 1,
        updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/),
        definition: definition(),
        pathConfigs: [pathConfig],
      });
    });

    test('a changed definition becomes a new version, and the previous one stays unchanged', async () => {
      const store = await create();
      await store.put(definition(), []);
      expect(await store.put(definition({ name: 'New' }), [])).toEqual({ version: 2, changed: true });
      expect((await store.find('orders'))?.version).toBe(2);
      expect((await store.find('orders'))?.definition.name).toBe('New');
      expect((await store.findVersion('orders', 1))?.definition).toEqual(definition());
      expect((await store.findVersion('orders', 2))?.definition.name).toBe('New');
    });

    test('several are found at once, in the order that was asked for, without those that do not exist', async () => {
      const store = await create();
      for (const id of ['orders', 'shop', 'removed']) await store.put(definition({ id }), [pathConfig]);
      await store.put(definition({ id: 'shop', name: 'Shop' }), []);
      await store.remove('removed');
      const updatedAt = expect.any(String);
      expect(await store.findAll(['shop', 'removed', 'other', 'orders'])).toEqual([
        { version: 2, updatedAt, definition: definition({ id: 'shop', name: 'Shop' }) },
        { version: 1, updatedAt, definition: definition() },
      ]);
      expect(await store.findAll([])).toEqual([]);
    });

    test('one that was of high volume once is found as such', async () => {
      const store = await create();
      const settings = { highVolume: true };
      await store.put(definition(), []);
      expect((await store.findAll(['orders']))[0]).not.toHaveProperty('wasHighVolume');
      await store.put(definition({ settings }), []);
      expect(await store.findAll(['orders'])).toMatchObject([{ version: 2, wasHighVolume: true }]);
      await store.put(definition({ name: 'A' }), []);
      await store.remove('orders');
      await store.put(definition({ name: 'B' }), []);
      expect(await store.findAll(['orders'])).toMatchObject([{ version: 4, wasHighVolume: true }]);
    });

    test('an unchanged definition makes no new version', async () => {
      const store = await create();
      await store.put(definition(), []);
      expect(await store.put(definition(), [])).toEqual({ version: 1, changed: false });
      expect(await store.findVersion('orders', 2)).toBeNull();
    });

    test('a removed workflow is null, its versions stay, and a later put continues their numbers', async () => {
      const store = await create();
      await store.put(definition(), [pathConfig]);
      expect(await store.remove('orders')).toBe(true);
      expect(await store.find('orders')).toBeNull();
      expect(await store.list()).toEqual([]);
      expect(await store.remove('orders')).toBe(false);
      expect((await store.findVersion('orders', 1))?.definition).toEqual(definition());
      expect(await store.put(definition(), [])).toEqual({ version: 2, changed: true });
      expect((await store.find('orders'))?.version).toBe(2);
    });

    test('a removal that names a version removes no other', async () => {
      const store = await create();
      await store.put(definition(), []);
      await store.put(definition({ name: 'B' }), []);
      await expect(store.remove('orders', 1)).rejects.toMatchObject({ code: 'WORKFLOW_CHANGED' });
      expect((await store.find('orders'))?.version).toBe(2);
      expect(await store.remove('orders', 2)).toBe(true);
      expect(await store.remove('orders', 2)).toBe(false);
    });

    test('versions say who made them and why, newest first, page by page', async () => {
      const store = await create();
      await store.put(definition(), [], { author: 'arn:aws:iam::1:user/ada', message: 'begin' });
      await store.put(definition({ name: 'B' }), []);
      await store.put(definition({ name: 'C' }), [], { author: 'arn:aws:iam::1:user/bob' });
      expect(await store.listVersions('orders', null, 2)).toEqual({
        versions: [
          { version: 3, author: 'arn:aws:iam::1:user/bob', message: null, updatedAt: expect.any(String) },
          { version: 2, author: null, message: null, updatedAt: expect.any(String) },
        ],
        next: 2,
      });
      expect(await store.listVersions('orders', 2, 2)).toMatchObject({
        versions: [{ version: 1, author: 'arn:aws:iam::1:user/ada', message: 'begin' }],
        next: null,
      });
      expect(await store.listVersions('orders', null, 3)).toMatchObject({ next: null });
      expect(await store.listVersions('orders', 1, 2)).toEqual({ versions: [], next: null });
      expect(await store.listVersions('other', null, 2)).toEqual({ versions: [], next: null });
    });

    test('the versions of a removed workflow stay listed, once each', async () => {
      const store = await create();
      await store.put(definition(), []);
      await store.put(definition({ name: 'B' }), [], { message: 'last' });
      await store.remove('orders');
      const { versions } = await store.listVersions('orders', null, 10);
      expect(versions.map(({ version, message }) => [version, message])).toEqual([
        [2, 'last'],
        [1, null],
      ]);
    });

    test('a definition that must be new is refused when there is one', async () => {
      const store = await create();
      await store.put(definition(), [], { replaces: null });
      const again = store.put(definition({ name: 'B' }), [], { replaces: null });
      await expect(again).rejects.toMatchObject({ code: 'WORKFLOW_CHANGED' });
      await store.remove('orders');
      expect(await store.put(definition(), [], { replaces: null })).toEqual({ version: 2, changed: true });
    });

    test('removing an unknown one returns false', async () => {
      expect(await (await create()).remove('orders')).toBe(false);
    });

    test('the list has one line per workflow, with its current version', async () => {
      const store = await create();
      await store.put(definition(), []);
      await store.put(definition({ enabled: false }), []);
      await store.put(definition({ id: 'other', name: 'Other' }), []);
      const list = (await store.list()).toSorted((a, b) => a.id.localeCompare(b.id));
      expect(list).toEqual([
        { id: 'orders', name: 'Orders', enabled: false, version: 2, updatedAt: expect.any(String) },
        { id: 'other', name: 'Other', enabled: true, version: 1, updatedAt: expect.any(String) },
      ]);
    });

    test('a change that names its base version applies only to that version', async () => {
      const store = await create();
      const refusal = { code: 'WORKFLOW_CHANGED' };
      await expect(store.put(definition(), [], { replaces: 1 })).rejects.toMatchObject(refusal);
      await store.put(definition(), []);
      expect(await store.put(definition({ name: 'New' }), [], { replaces: 1 })).toEqual({
        version: 2,
        changed: true,
      });
      await expect(store.put(definition({ name: 'Late' }), [], { replaces: 1 })).rejects.toMatchObject(
        refusal,
      );
      expect((await store.find('orders'))?.definition.name).toBe('New');
      await store.remove('orders');
      await expect(store.put(definition({ name: 'Late' }), [], { replaces: 2 })).rejects.toMatchObject(
        refusal,
      );
      expect(await store.find('orders')).toBeNull();
    });

    test('two concurrent writers never make the same version: one fails or makes the next', async () => {
      const store = await create();
      const names = ['A', 'B', 'C', 'D'];
      const outcomes = await Promise.allSettled(names.map((name) => store.put(definition({ name }), [])));
      const won = outcomes.flatMap((outcome, at) =>
        outcome.status === 'fulfilled' ? [{ version: outcome.value.version, name: names[at] }] : [],
      );
      const lost = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(won.length).toBeGreaterThan(0);
      expect(lost.every(({ reason }) => isAppError(reason, 'WORKFLOW_CHANGED'))).toBe(true);
      for (const { version, name } of won) {
        expect((await store.findVersion('orders', version))?.definition.name).toBe(name);
      }
      const newest = Math.max(...won.map(({ version }) => version));
      expect((await store.find('orders'))?.version).toBe(newest);
    });

    test('any JSON is read back unchanged', async () => {
      const store = await create();
      const deep = JSON.parse(`${'['.repeat(90)}1${']'.repeat(90)}`);
      const parameters = JSON.parse(
        '{"__proto__": {"polluted": true}, "": "", "big": 1e22, "small": 5e-324, "exact": 9007199254740993, "nul": "\\u0000", "list": [null, true, ""], "text": "日本 🚀"}',
      );
      const awkward = definition({
        nodes: [{ id: 'start', type: 'manualTrigger', parameters: { ...parameters, deep } }],
        note: 'an unknown key is kept',
      });
      await store.put(awkward, []);
      const found = await store.find('orders');
      expect(JSON.stringify(found?.definition)).toBe(JSON.stringify(awkward));
      expect(JSON.stringify((await store.findVersion('orders', 1))?.definition)).toBe(
        JSON.stringify(awkward),
      );
    });

    test.each(['__proto__', 'constructor', 'toString'])('%s is an ordinary name', async (id) => {
      const store = await create();
      expect(await store.find(id)).toBeNull();
      expect(await store.findVersion(id, 1)).toBeNull();
    });
  });
};
