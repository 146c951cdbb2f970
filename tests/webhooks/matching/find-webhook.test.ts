import { describe, expect, test } from '@jest/globals';
import { findWebhook } from '../../../lib/webhooks/matching/find-webhook.ts';
import type { PathConfig } from '../../../lib/workflows/definition/path-config.ts';
import type { PublishedWorkflow } from '../../../lib/workflows/definition/workflow-store.ts';
import { aPathConfig, aWorkflowListening } from '../../support/a-workflow-listening.ts';

const request = { workflowId: 'shop', path: '/orders', method: 'POST', headers: {} };

const findIn =
  (...workflows: PublishedWorkflow[]) =>
  async (workflowId: string) =>
    workflows.find(({ definition }) => definition.id === workflowId) ?? null;

const shop = findIn(aWorkflowListening());
const notFound = { code: 'NOT_FOUND', message: 'No enabled workflow listens at this address.' };

describe('finding the webhook', () => {
  test('finds the workflow and its path config', async () => {
    expect(await findWebhook(request, shop)).toEqual({
      workflow: aWorkflowListening(),
      config: aPathConfig(),
    });
  });

  test('selects among triggers on one path by method', async () => {
    const find = findIn(
      aWorkflowListening([aPathConfig(), aPathConfig({ method: 'GET', triggerNodeId: 'ask' })]),
    );
    expect((await findWebhook({ ...request, method: 'GET' }, find)).config.triggerNodeId).toBe('ask');
  });

  test.each([
    ['another workflow', { workflowId: 'other' }],
    ['another path', { path: '/order' }],
    ['a longer path', { path: '/orders/new' }],
    ['other capitals', { path: '/Orders' }],
    ['an encoded form of the path', { path: '/%6frders' }],
    ['the workflow itself', { path: '/' }],
  ])('finds nothing at %s', async (_case, changes) => {
    await expect(findWebhook({ ...request, ...changes }, shop)).rejects.toMatchObject(notFound);
  });

  describe('among literal paths and patterns', () => {
    const user = ['users', ':id'];
    const find = findIn(
      aWorkflowListening([
        aPathConfig({ path: '/users/me', triggerNodeId: 'me' }),
        aPathConfig({ path: '/users/:id', pattern: user, triggerNodeId: 'user' }),
        aPathConfig({ path: '/users/:id', pattern: user, triggerNodeId: 'user', method: 'PUT' }),
        aPathConfig({
          path: '/users/*rest',
          pattern: ['users', '*rest'],
          triggerNodeId: 'rest',
          method: 'GET',
        }),
      ]),
    );

    test.each([
      ['/users/me', 'POST', 'me', undefined],
      ['/users/7', 'POST', 'user', { id: '7' }],
      ['/users/:id', 'POST', 'user', { id: ':id' }],
      ['/users/me', 'PUT', 'user', { id: 'me' }],
      ['/users/7/a/b', 'GET', 'rest', { rest: '7/a/b' }],
      ['/users/7', 'GET', 'rest', { rest: '7' }],
      ['/users/7', 'HEAD', 'rest', { rest: '7' }],
    ] as const)('%s by %s fires %s', async (path, method, trigger, pathParams) => {
      const found = await findWebhook({ ...request, path, method }, find);
      expect([found.config.triggerNodeId, found.pathParams]).toEqual([trigger, pathParams]);
    });

    test('allows all methods of the path', async () => {
      await expect(
        findWebhook({ ...request, path: '/users/me', method: 'DELETE' }, find),
      ).rejects.toMatchObject({ parameters: { allow: ['POST', 'PUT', 'GET', 'HEAD'] } });
    });
  });

  test('treats a path stored before patterns existed as literal', async () => {
    const find = findIn(aWorkflowListening([aPathConfig({ path: '/:8080' })]));
    await expect(findWebhook({ ...request, path: '/x' }, find)).rejects.toMatchObject(notFound);
    expect((await findWebhook({ ...request, path: '/:8080' }, find)).config.path).toBe('/:8080');
  });

  test('treats HEAD as GET, unless a trigger listens to it', async () => {
    const get = aPathConfig({ method: 'GET', triggerNodeId: 'get' });
    const head = aPathConfig({ method: 'HEAD', triggerNodeId: 'head' });
    const findTrigger = async (...configs: PathConfig[]) =>
      (await findWebhook({ ...request, method: 'HEAD' }, findIn(aWorkflowListening(configs)))).config.method;
    expect(await findTrigger(get)).toBe('GET');
    expect(await findTrigger(get, head)).toBe('HEAD');
  });

  test('does not find another workflow’s path under this id', async () => {
    const find = findIn(
      aWorkflowListening(),
      aWorkflowListening([aPathConfig({ path: '/secret' })], { id: 'other' }),
    );
    await expect(findWebhook({ ...request, path: '/secret' }, find)).rejects.toMatchObject(notFound);
  });

  test('does not find a disabled workflow', async () => {
    const find = findIn(aWorkflowListening(undefined, { enabled: false }));
    await expect(findWebhook(request, find)).rejects.toMatchObject(notFound);
  });

  test.each([
    ['disabled', [{ id: 'start', type: 'webhookTrigger', parameters: {}, disabled: true }]],
    ['gone', []],
  ])('does not find a trigger that is %s, whatever the stored path configs are', async (_case, nodes) => {
    const workflow = aWorkflowListening();
    const find = findIn({ ...workflow, definition: { ...workflow.definition, nodes } });
    await expect(findWebhook(request, find)).rejects.toMatchObject(notFound);
  });

  test.each(['GET', 'post', 'HEAD', 'OPTIONS', 'TRACE', 'FOO'])(
    'returns the methods of a path to %s',
    async (method) => {
      const find = findIn(
        aWorkflowListening([aPathConfig(), aPathConfig({ method: 'PUT', triggerNodeId: 'b' })]),
      );
      await expect(findWebhook({ ...request, method }, find)).rejects.toMatchObject({
        code: 'METHOD_NOT_ALLOWED',
        parameters: { allow: ['POST', 'PUT'] },
      });
    },
  );

  test.each(['', '../shop', 'a b', 'ä', 'x'.repeat(65), 'shop\n', 'a/b', '{}'])(
    'does not look up an invalid id: %j',
    async (workflowId) => {
      const read: string[] = [];
      const find = async (id: string) => {
        read.push(id);
        return null;
      };
      await expect(findWebhook({ ...request, workflowId }, find)).rejects.toMatchObject(notFound);
      expect(read).toEqual([]);
    },
  );

  test.each(['__proto__', 'constructor', 'toString'])('treats %s as an ordinary id', async (workflowId) => {
    await expect(findWebhook({ ...request, workflowId }, shop)).rejects.toMatchObject(notFound);
  });
});
