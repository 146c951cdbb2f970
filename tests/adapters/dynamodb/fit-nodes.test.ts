import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fitNodes } from '../../../lib/adapters/dynamodb/fit-nodes.ts';
import type { NodeRecord } from '../../../lib/engine/result.ts';

const record = (nodeId: string, status: NodeRecord['status'] = 'succeeded'): NodeRecord => ({
  nodeId,
  type: 'set',
  status,
  iteration: 0,
  attempts: 1,
  startedAt: 1,
  durationMs: 1,
});

test('what fits is kept whole', () => {
  const nodes = [record('a'), record('b', 'failed')];
  expect(fitNodes(nodes)).toEqual({ kept: nodes, omitted: 0 });
});

test('of what does not fit, what failed is kept, then the earliest, in their order', () => {
  const nodes = [record('a'), record('b'), record('c'), record('d', 'failed')];
  const bytes = JSON.stringify([record('a'), record('d', 'failed')]).length + 10;
  expect(fitNodes(nodes, bytes)).toEqual({ kept: [nodes[0], nodes[3]], omitted: 2 });
});

test('never more than the bytes that there are, and nothing unaccounted for', () => {
  const list = fc.array(fc.record({ id: fc.string(), failed: fc.boolean() }), { maxLength: 50 });
  fc.assert(
    fc.property(list, fc.integer({ min: 2, max: 3_000 }), (shapes, maxBytes) => {
      const nodes = shapes.map(({ id, failed }) => record(id, failed ? 'failed' : 'succeeded'));
      const { kept, omitted } = fitNodes(nodes, maxBytes);
      expect(kept.length + omitted).toBe(nodes.length);
      expect(Buffer.byteLength(JSON.stringify(kept))).toBeLessThanOrEqual(maxBytes);
    }),
  );
});
