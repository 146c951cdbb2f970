import { describe, expect, test } from '@jest/globals';
import { unpackText } from '../../../lib/executions/record/blob-store.ts';
import type { WorkflowDefinition } from '../../../lib/workflows/definition/definition.ts';
import { aBackgroundService, aFlow } from '../../support/a-background-service.ts';

const answering = (parameters: object): WorkflowDefinition => {
  const flow = aFlow({
    nodes: [
      { id: 'respond', type: 'respondToWebhook', parameters: { body: 'thanks' } },
      { id: 'pause', type: 'wait', parameters: { seconds: 3600 } },
      { id: 'call', type: 'call', parameters: { done: true } },
    ],
    edges: ['start -> respond', 'respond -> pause', 'pause -> call'],
  });
  const [start, ...others] = flow.nodes;
  const trigger = { id: 'start', type: 'webhookTrigger', ...start, parameters: { ...parameters } };
  return { ...flow, nodes: [trigger, ...others] };
};

/** The results on record at the start of each invocation, and at the end. */
const resultsOf = async (parameters: object) => {
  const service = await aBackgroundService();
  await service.put(answering(parameters));
  await service.accept();
  const results: (string | null)[] = [];
  const note = async () => {
    const { result = null } = (await service.executions.find('e-1')) ?? {};
    results.push(result === null ? null : await unpackText(result, service.blobs));
  };
  await service.run('e-1', { between: note });
  await note();
  return { results, service };
};

describe('the response of a durable run', () => {
  const response = { status: 200, headers: {}, body: 'thanks' };

  test('is recorded before the run is suspended, if it continues after it', async () => {
    const { results, service } = await resultsOf({ continueAfterResponse: true });
    expect(results).toEqual([
      null,
      JSON.stringify({ output: {}, response }),
      JSON.stringify({ output: { done: true }, response }),
    ]);
    expect(service.called).toEqual(['call/0']);
  });

  test('is recorded at the end otherwise', async () => {
    const { results } = await resultsOf({});
    expect(results).toEqual([null, null, JSON.stringify({ output: { done: true }, response })]);
  });
});
