import { expect, test } from '@jest/globals';
import { nudgeHeld } from '../../../lib/executions/held/nudge-held.ts';
import type { HeldQueue } from '../../../lib/executions/held-queues.ts';
import { DISPATCH_REFUSED } from '../../../lib/shared/error-catalogue.ts';
import { AppError } from '../../../lib/shared/errors.ts';
import { anExecutionStart } from '../../support/a-start.ts';
import { aTrigger, aWorkflow } from '../../support/a-workflow.ts';
import { inMemoryExecutionStore } from '../../support/in-memory-stores.ts';

/** A workflow of three triggers, of which two have held executions. */
const aService = async (last: object = {}, isEnabled = true) => {
  const { queues, ...executions } = inMemoryExecutionStore();
  for (const nodeId of ['a', 'c'])
    await executions.start(
      anExecutionStart({
        executionId: nodeId,
        workflowId: 'greeting',
        held: 'paused',
        trigger: { nodeId, type: 'webhookTrigger' },
      }),
    );
  const triggers = [
    { ...aTrigger({ path: '/a', methods: ['GET', 'PUT'] }), id: 'a' },
    { ...aTrigger({ path: '/b' }), id: 'b' },
    { ...aTrigger({ path: '/c', ...last }), id: 'c' },
  ];
  const nudged: HeldQueue[] = [];
  const nudgeQueue = async (queue: HeldQueue) => void nudged.push(queue);
  return {
    definition: aWorkflow({ nodes: triggers, connections: [], enabled: isEnabled }),
    queues,
    nudged,
    nudgeQueue,
  };
};

test('nudges each queue of a trigger that holds executions, once', async () => {
  const { definition, nudged, ...parts } = await aService();
  expect(await nudgeHeld(definition, parts)).toEqual(['a', 'c']);
  expect(nudged).toEqual(['a', 'c'].map((triggerNodeId) => ({ workflowId: 'greeting', triggerNodeId })));
});

test('leaves paused triggers and disabled workflows alone', async () => {
  const paused = await aService({ paused: 'store' });
  expect(await nudgeHeld(paused.definition, paused)).toEqual(['a']);
  const disabled = await aService({}, false);
  expect(await nudgeHeld(disabled.definition, disabled)).toEqual([]);
});

test('fails when the service refuses it', async () => {
  const { definition, queues } = await aService();
  const nudgeQueue = () => Promise.reject(new AppError(DISPATCH_REFUSED, {}));
  await expect(nudgeHeld(definition, { queues, nudgeQueue })).rejects.toMatchObject({
    code: 'DISPATCH_REFUSED',
  });
});
