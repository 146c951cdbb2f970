import { type NodeTest, nodeTypeChecks } from '@hookloom/plugin-kit/testing';
import { describe, expect, test } from '@jest/globals';
import control from '../../nodes/control/control.plugin.ts';
import flow from '../../nodes/flow/flow.ts';

const input = { total: 5 };

/** A run of each that succeeds. */
const examples: Readonly<Record<string, NodeTest>> = {
  set: { input, parameters: { values: { a: 1 }, keepInput: true } },
  if: { input, parameters: { condition: true } },
  switch: { input, parameters: { value: 1, cases: [{ equals: 1, output: 'one' }], fallback: 'other' } },
  merge: { input, parameters: { mode: 'byNode' } },
  filter: { input, parameters: { condition: false } },
  respondToWebhook: { input, parameters: { status: 201, headers: { 'x-a': 'b' }, body: { a: 1 } } },
  wait: { input, parameters: { seconds: 90 } },
  approval: { input, parameters: { timeoutSeconds: 60 } },
  forEach: { input, parameters: { items: [1, 2], maxConcurrency: 2, onItemFailure: 'continue' } },
  subworkflow: { input, parameters: { workflowId: 'shop', input: { a: 1 } } },
};

describe.each([...flow.handles, ...control.handles].map((handle) => [handle.id, handle] as const))(
  '%s',
  (id, handle) => {
    const example = examples[id];
    test('has an example', () => expect(example).toBeDefined());
    for (const { name, run } of nodeTypeChecks(handle, example)) test(name, run);
  },
);
