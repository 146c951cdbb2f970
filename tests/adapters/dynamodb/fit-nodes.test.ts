import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readLongJson } from '../../../lib/adapters/dynamodb/attributes.ts';
import {
  fitNodes,
  readNodes,
  toPlainNodes,
} from '../../../lib/adapters/dynamodb/executions/execution-item.ts';
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

const fitted = (nodes: readonly NodeRecord[], maxBytes?: number) => {
  const { stored, omitted } = fitNodes(nodes, maxBytes);
  const kept = readLongJson<NodeRecord[]>({ nodes: stored }, 'nodes', []);
  return { kept, omitted, bytes: stored.B?.length ?? Buffer.byteLength(stored.S ?? '') };
};

test('node runs that fit are kept whole', () => {
  const nodes = [record('a'), record('b', 'failed')];
  expect(fitted(nodes)).toMatchObject({ kept: nodes, omitted: 0 });
});

test('of those that do not fit, failed ones are kept, then the earliest, in order', () => {
  const nodes = [record('a'), record('b'), record('c'), record('d', 'failed')];
  const bytes = JSON.stringify([record('a'), record('d', 'failed')]).length + 10;
  expect(fitted(nodes, bytes)).toMatchObject({ kept: [nodes[0], nodes[3]], omitted: 2 });
});

test('of those that do not fit, data of successful nodes is dropped first', () => {
  const data = { words: Array.from({ length: 200 }, (_, at) => `${at * 7_919}`) };
  const nodes = [
    { ...record('a'), input: data, reads: { total: 1 } },
    { ...record('b', 'failed'), input: data },
  ];
  expect(fitted(nodes, 1_000)).toMatchObject({ kept: [record('a'), nodes[1]], omitted: 0 });
});

test('thousands of node runs are kept, since they are measured as they are stored', () => {
  const nodes = Array.from({ length: 5_000 }, (_, at) => ({
    ...record(`node-${at % 7}`),
    iteration: at,
    startedAt: 1_700_000_000_000 + at * 37,
    durationMs: (at * 7_919) % 101,
  }));
  const { kept, omitted, bytes } = fitted(nodes);
  expect({ kept: kept.length, omitted }).toEqual({ kept: 5_000, omitted: 0 });
  expect(bytes).toBeLessThan(64_000);
});

test('of a list too long to compress, as many as possible are kept', () => {
  const nodes = Array.from({ length: 60_000 }, (_, at) => record(`node-${at}`));
  const { kept, omitted } = fitted(nodes);
  expect(kept.length + omitted).toBe(60_000);
  expect(kept.length).toBeGreaterThan(3_000);
  expect(kept[0]).toEqual(nodes[0]);
});

test('the result never exceeds the available bytes, and every node run is accounted for', () => {
  const list = fc.array(fc.record({ id: fc.string(), failed: fc.boolean() }), { maxLength: 50 });
  fc.assert(
    fc.property(list, fc.integer({ min: 2, max: 3_000 }), (shapes, maxBytes) => {
      const nodes = shapes.map(({ id, failed }) => record(id, failed ? 'failed' : 'succeeded'));
      const { kept, omitted, bytes } = fitted(nodes, maxBytes);
      expect(kept.length + omitted).toBe(nodes.length);
      expect(bytes).toBeLessThanOrEqual(maxBytes);
    }),
  );
});

const skipped = (nodeId: string): NodeRecord => ({
  ...record(nodeId, 'skipped'),
  attempts: 0,
  durationMs: 0,
});

test('the short form of the nodes of a run says all of them', () => {
  const anyNode = fc
    .record({ nodeId: fc.string(), isRun: fc.boolean(), startedAt: fc.nat(), durationMs: fc.nat() })
    .map(({ nodeId, isRun, startedAt, durationMs }) =>
      isRun ? { ...record(nodeId), startedAt, durationMs } : { ...skipped(nodeId), startedAt },
    );
  fc.assert(
    fc.property(fc.array(anyNode, { maxLength: 16 }), (nodes) => {
      expect(readNodes({ ran: { S: toPlainNodes(nodes) ?? '' } })).toEqual(nodes);
    }),
  );
  expect(toPlainNodes([record('a'), skipped('b')])).toBe('[["a","set",1,1],["b","set",1]]');
});

test.each<[string, Partial<NodeRecord>]>([
  ['ran again', { iteration: 1 }],
  ['was tried again', { attempts: 2 }],
  ['failed', { status: 'failed' }],
  ['was disabled', { status: 'passedThrough' }],
  ['was skipped after an attempt', { status: 'skipped' }],
  ['is of an inner run', { within: 'each/0/3' }],
  ['has counted something', { usage: { inputTokens: 1 } }],
  ['has data', { outputs: { main: {} } }],
])('there is no short form of a run with a node that %s', (_case, change) => {
  expect(toPlainNodes([record('a'), { ...record('b'), ...change }])).toBeNull();
});

test('there is no short form of a run with many nodes', () => {
  expect(toPlainNodes(Array.from({ length: 17 }, (_, at) => record(`n${at}`)))).toBeNull();
});
