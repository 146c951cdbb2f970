import type { JsonObject } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { loadRegistry } from '../../../../lib/plugins/load-registry.ts';
import { installedPlugins } from '../../../../nodes/installed.ts';
import { aManualClock } from '../../../../tests/support/a-manual-clock.ts';
import { aRecordingLogger } from '../../../../tests/support/a-recording-logger.ts';
import { validateWorkflow } from '../../validation/validate.ts';

const { logger } = aRecordingLogger();
const registry = loadRegistry(installedPlugins, { logger, clock: aManualClock() });

/** Problems of a trigger with these parameters, in front of an answer and a wait of an hour. */
const problemsOf = async (parameters: JsonObject, seconds = 3_600) => {
  const nodes = [
    { id: 'start', type: 'webhookTrigger', parameters },
    parameters.responseMode === 'responseNode'
      ? { id: 'next', type: 'respondToWebhook', parameters: {} }
      : { id: 'next', type: 'set', parameters: { values: {} } },
    { id: 'pause', type: 'wait', parameters: { seconds } },
  ];
  const connections = [
    { sourceNodeId: 'start', targetNodeId: 'next' },
    { sourceNodeId: 'next', targetNodeId: 'pause' },
  ];
  const { findNodeType } = await registry;
  const { problems } = await validateWorkflow({ id: 'a', name: 'a', nodes, connections }, findNodeType);
  return problems.map(({ path, message }) => `${path} ${message}`);
};

describe('the response parameters of a webhook', () => {
  test.each<[JsonObject]>([
    [{ answer: { status: 200, headers: { 'x-a': '{{ body.id }}' }, body: { id: '{{ $execution.id }}' } } }],
    [{ responseMode: 'responseNode', continueAfterResponse: true, timeoutSeconds: 5, onTimeout: 'continue' }],
    [{ responseMode: 'lastNode', onTimeout: 'continue', lastNodeAnswer: 'all' }],
  ])('%j are valid, with a wait of an hour', async (parameters) => {
    expect(await problemsOf(parameters)).toEqual([]);
  });

  test.each<[JsonObject, string]>([
    [{ answer: { status: 404 } }, '/answer/status must be <= 399'],
    [{ answer: { body: '{{ bdy.id }}' } }, '/answer/body '],
    [{ answer: { body: [{ a: '{{ body. }}' }] } }, '/answer/body/0/a '],
    [{ answer: { body: '{{ $nodes.next.a }}' } }, '/answer/body '],
    [{ answer: { status: '{{ 200 }}' } }, '/answer/status '],
    [{ answer: { headers: { 'a b': 'c' } } }, '/answer/headers/a b '],
    [{ answer: { headers: { Connection: 'close' } } }, '/answer/headers/Connection '],
    [{ answer: { text: 'ok' } }, '/answer'],
    [{ responseMode: 'lastNode', answer: {} }, '/answer has an effect only with responseMode onReceived'],
    [
      { responseMode: 'responseNode', lastNodeAnswer: 'all' },
      '/lastNodeAnswer has an effect only with responseMode lastNode',
    ],
    [{ responseMode: 'lastNode', lastNodeAnswer: 'first' }, '/lastNodeAnswer '],
    [{ timeoutSeconds: 5 }, '/timeoutSeconds has an effect only with responseMode lastNode or responseNode'],
    [{ responseMode: 'lastNode', timeoutSeconds: 26 }, '/timeoutSeconds must be <= 25'],
    [{ onTimeout: 'fail' }, '/onTimeout has an effect only with responseMode lastNode or responseNode'],
    [
      { responseMode: 'lastNode', continueAfterResponse: true },
      '/continueAfterResponse has an effect only with responseMode responseNode',
    ],
    [
      { responseMode: 'responseNode', continueAfterResponse: true, onTimeout: 'fail' },
      '/onTimeout cannot be "fail" with continueAfterResponse',
    ],
  ])('%j are refused', async (parameters, problem) => {
    const problems = await problemsOf(parameters, 1);
    expect(problems).toContainEqual(expect.stringContaining(`/nodes/0/parameters${problem}`));
  });

  test('allow a run to wait no longer than its caller if it ends with the response', async () => {
    expect(await problemsOf({ responseMode: 'responseNode' })).toEqual([
      expect.stringContaining('makes the caller wait for the result, but "pause" waits 3600 seconds'),
    ]);
  });
});

test('values that have no text are problems of their shape', async () => {
  const odd = { toString: 1, valueOf: 1 };
  const nodes = [
    { id: 'start', type: 'webhookTrigger', parameters: { responseMode: odd, answer: { status: 200 } } },
    {
      ...{ id: 'call', type: 'httpRequest', parameters: { url: 'https://api.example/' } },
      settings: { atMostOnce: true, retry: { maxAttempts: odd, intervalSeconds: odd } },
    },
    { id: 'other', type: 'webhookTrigger', parameters: { path: '/other', responseMode: 'lastNode' } },
  ];
  const connections = ['start', 'other'].map((sourceNodeId) => ({ sourceNodeId, targetNodeId: 'call' }));
  const { findNodeType } = await registry;
  const { problems } = await validateWorkflow({ id: 'a', name: 'a', nodes, connections }, findNodeType);
  expect(problems.map(({ path }) => path)).toEqual(
    expect.arrayContaining([
      '/nodes/0/parameters/responseMode',
      '/nodes/1/settings/retry/maxAttempts',
      '/nodes/1/settings/retry/intervalSeconds',
    ]),
  );
});
