import { describe, expect, test } from '@jest/globals';
import { drawDifference, toCurl, toDefinition } from '../src/views/workflow/definition.ts';

describe('a webhook as a command of curl', () => {
  const address = { method: 'POST', url: 'https://api.example/api/webhook/orders/orders' };

  test('sends JSON, with the place for its credential', () => {
    expect(toCurl(address, { parameters: { authentication: 'apiKey' } })).toBe(
      `curl -X POST '${address.url}' -H 'x-api-key: YOUR_KEY' -H 'content-type: application/json' -d '{}'`,
    );
    expect(toCurl(address, { parameters: { authentication: 'basic' } })).toContain(" -u 'USER:PASSWORD' ");
  });

  test('sends nothing with GET, and asks for headers alone with HEAD', () => {
    expect(toCurl({ ...address, method: 'GET' }, {})).toBe(`curl -X GET '${address.url}'`);
    expect(toCurl({ ...address, method: 'HEAD' }, {})).toBe(`curl -I '${address.url}'`);
  });

  test('keeps a quote within the address', () => {
    expect(toCurl({ method: 'GET', url: "https://a.example/it's;rm" }, {})).toBe(
      `curl -X GET 'https://a.example/it'\\''s;rm'`,
    );
  });
});

test('two versions are one graph, in which what was removed stays', () => {
  const node = (id: string) => ({ id, type: 'set' });
  const to = toDefinition({
    name: 'Orders',
    enabled: true,
    nodes: [node('a'), node('b'), node('c')],
    connections: [
      { sourceNodeId: 'a', targetNodeId: 'b' },
      { sourceNodeId: 'b', sourceOutput: 'true', targetNodeId: 'c' },
    ],
  });
  const { definition, marks } = drawDifference(to, {
    nodes: { added: [node('c')], removed: [node('old')], changed: [{ id: 'b' }] },
    connections: {
      added: [{ sourceNodeId: 'b', sourceOutput: 'true', targetNodeId: 'c', targetInput: 'main' }],
      removed: [{ sourceNodeId: 'b', targetNodeId: 'old' }],
    },
  });
  expect(definition.nodes.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'old']);
  expect(definition.connections?.map(({ targetNodeId, change }) => [targetNodeId, change])).toEqual([
    ['b', undefined],
    ['c', 'added'],
    ['old', 'removed'],
  ]);
  expect(marks).toEqual({
    b: { change: 'changed' },
    c: { change: 'added' },
    old: { change: 'removed' },
  });
});
