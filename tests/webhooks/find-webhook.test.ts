import { describe, expect, test } from '@jest/globals';
import { findWebhook } from '../../lib/webhooks/find-webhook.ts';
import type { PublishedWorkflow } from '../../lib/workflows/definition/workflow-store.ts';
import { aPathConfig, aWorkflowListening } from '../support/a-workflow-listening.ts';

const request = { workflowId: 'shop', path: '/orders', method: 'POST' };

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
  ])('there is nothing at %s', async (_case, changes) => {
    await expect(findWebhook({ ...request, ...changes }, shop)).rejects.toMatchObject(notFound);
  });

  test('a path that another workflow listens at is not found under this id', async () => {
    const find = findIn(
      aWorkflowListening(),
      aWorkflowListening([aPathConfig({ path: '/secret' })], { id: 'other' }),
    );
    await expect(findWebhook({ ...request, path: '/secret' }, find)).rejects.toMatchObject(notFound);
  });

  test('a disabled workflow is not found', async () => {
    const find = findIn(aWorkflowListening(undefined, { enabled: false }));
    await expect(findWebhook(request, find)).rejects.toMatchObject(notFound);
  });

  test.each([
    ['disabled', [{ id: 'start', type: 'webhookTrigger', parameters: {}, disabled: true }]],
    ['gone', []],
  ])('a trigger that is %s is not found, whatever the stored path configs are', async (_case, nodes) => {
    const workflow = aWorkflowListening();
    const find = findIn({ ...workflow, definition: { ...workflow.definition, nodes } });
    await expect(findWebhook(request, find)).rejects.toMatchObject(notFound);
  });

  test.each(['GET', 'post', 'HEAD', 'OPTIONS', 'TRACE', 'FOO'])(
    'says which methods there are to %s',
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

  test.each(['__proto__', 'constructor', 'toString'])('%s is an id like any other', async (workflowId) => {
    await expect(findWebhook({ ...request, workflowId }, shop)).rejects.toMatchObject(notFound);
  });
});
