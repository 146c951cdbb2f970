import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nodeTypeChecks, runNode } from '@hookloom/plugin-kit/testing';
import examples from './examples.ts';
import plugin, { greet, send } from './index.ts';

for (const handle of plugin.handles) {
  describe(`${handle.id} follows the contract of node types:`, () => {
    for (const { name, run } of nodeTypeChecks(handle, examples[handle.id])) test(name, run);
  });
}

test('greets with fields of its input', async () => {
  const { outputs } = await runNode(greet, examples[greet.id]);
  assert.deepEqual(outputs.main, { orderId: 7, text: 'Hello, Ada' });
});

test('needs a name', async () => {
  await assert.rejects(runNode(greet, { parameters: { name: '' } }), /"name" must be a string of at least 1/);
});

test('sends the text once, with the key of the step', async () => {
  const { outputs, requests } = await runNode(send, examples[send.id]);
  assert.deepEqual(outputs.main, { status: 202 });
  assert.equal(requests[0]?.headers['idempotency-key'], 'execution-1/node-1/0');
});

test('needs a credential', async () => {
  const { credential: _, ...test } = examples[send.id] ?? {};
  await assert.rejects(runNode(send, test), /needs a credential of the type httpBearer/);
});

for (const [status, isRetryable] of [
  [400, false],
  [429, true],
  [503, true],
] as const) {
  test(`fails when the receiver answers ${status}; another attempt ${isRetryable ? 'may help' : 'would not help'}`, async () => {
    const sent = runNode(send, { ...examples[send.id], http: () => ({ status }) });
    await assert.rejects(sent, { message: `the receiver answered ${status}`, isRetryable });
  });
}
