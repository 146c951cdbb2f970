import { describe, expect, test } from '@jest/globals';
import { describeNext, describeNode } from '../src/parts/graph/describe-nodes.ts';
import {
  connectNodes,
  disconnectNodes,
  type Edit,
  removeNodes,
  renameNode,
} from '../src/views/editor/definition/definition-edits.ts';
import { describeStep } from '../src/views/editor/describe-step.ts';
import { createDraft, editGraph, redoStep, startHistory, undoStep } from '../src/views/editor/draft.ts';

const definition = {
  id: 'pay',
  name: 'Pay',
  enabled: true,
  nodes: [
    { id: 'in', type: 'webhookTrigger' },
    { id: 'large', type: 'if', name: 'Is it large?' },
    { id: 'ask', type: 'approval', name: 'Ask', disabled: true },
    { id: 'charge', type: 'code' },
  ],
  connections: [
    { sourceNodeId: 'in', targetNodeId: 'large' },
    { sourceNodeId: 'large', sourceOutput: 'true', targetNodeId: 'ask' },
    { sourceNodeId: 'large', sourceOutput: 'false', targetNodeId: 'charge' },
    { sourceNodeId: 'large', targetNodeId: 'missing' },
  ],
};

describe('the name of a node', () => {
  const next = describeNext(definition);

  test('says where each output leads, by the names that are shown', () => {
    expect(definition.nodes.map((node) => describeNode(node, [], next.get(node.id)))).toEqual([
      'in, webhookTrigger, then Is it large?',
      'Is it large?, if, then Ask on true, charge on false',
      'Ask, approval, disabled, the end',
      'charge, code, the end',
    ]);
  });

  test('says its states before where it leads', () => {
    expect(describeNode({ id: 'in', type: 'cronTrigger' }, ['has a problem'], 'large')).toBe(
      'in, cronTrigger, has a problem, then large',
    );
  });
});

describe('a step in the editor is said', () => {
  const first = startHistory(createDraft('', definition));
  const literals = () => [];
  const line = { sourceNodeId: 'ask', targetNodeId: 'charge' };

  test.each<[string, Edit]>([
    ['Connected: ask to charge.', connectNodes(line)],
    ['Disconnected: large to ask on true.', disconnectNodes(definition.connections[1] as typeof line)],
    ['Removed: charge.', removeNodes(new Set(['charge']))],
    ['Removed: 4 nodes.', removeNodes(new Set(['in', 'large', 'ask', 'charge']))],
    ['Renamed: charge to collect.', renameNode('charge', 'collect', literals)],
    ['', (before) => ({ ...before, name: 'Collect' })],
  ])('%s', (said, edit) => {
    expect(describeStep(first, editGraph(first, edit))).toBe(said);
  });

  test('with what can be undone further, each time in other words', () => {
    const type =
      (notes: string): Edit =>
      (before) => ({
        ...before,
        nodes: before.nodes.map((node) => (node.id === 'ask' ? { ...node, notes } : node)),
      });
    const removed = editGraph(first, removeNodes(new Set(['charge'])));
    const noted = editGraph(removed, type('why'));
    const back = undoStep(noted);
    expect(describeStep(noted, back)).toBe('Undone. Changed: ask. 1 more to undo.');
    expect(describeStep(back, undoStep(back))).toBe(
      'Undone. Added: charge. Connected: large to charge on false. 0 more to undo.',
    );
    expect(describeStep(back, redoStep(back))).toBe('Redone. Changed: ask. 2 more to undo.');
  });
});
