import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import {
  addNode,
  changeNode,
  connectNodes,
  type EditedDefinition,
  moveNodes,
  removeNodes,
  tidyLayout,
} from '../src/views/editor/definition/definition-edits.ts';
import {
  readDefinition,
  rewriteDefinition,
  writeDefinition,
} from '../src/views/editor/definition/definition-text.ts';

const samples = readdirSync('workflows')
  .filter((name) => name.endsWith('.json') && !name.endsWith('.schema.json'))
  .map((name) => [name, readFileSync(`workflows/${name}`, 'utf8')] as const);

const read = (text: string): EditedDefinition => {
  const reading = readDefinition(text);
  if ('problem' in reading) throw new Error(reading.problem);
  return reading.definition;
};

const edit = (text: string, ...edits: readonly ((definition: EditedDefinition) => EditedDefinition)[]) =>
  edits.reduce((before, change) => {
    const definition = read(before);
    return rewriteDefinition(before, definition, change(definition));
  }, text);

/** Fails with the difference for texts that the formatter of this repository would change. */
const checkFormat = (texts: readonly string[]): void => {
  const folder = mkdtempSync(join(tmpdir(), 'formatted-'));
  for (const [index, text] of texts.entries()) writeFileSync(join(folder, `${index}.json`), text);
  copyFileSync('biome.json', join(folder, 'biome.json'));
  execFileSync(resolve('node_modules/.bin/biome'), ['format', '--vcs-enabled=false', '.'], { cwd: folder });
};

const only = (text: string, from: string) =>
  text
    .split('\n')
    .filter((line) => !from.split('\n').includes(line))
    .map((line) => line.trim());

describe.each(samples)('%s', (_, text) => {
  test('is the same text after nodes were added and removed again', () => {
    const changed = edit(text, addNode({ id: 'new-one', type: 'set', parameters: { values: { a: 1 } } }));
    expect(read(changed).nodes).toHaveLength(read(text).nodes.length + 1);
    expect(edit(changed, removeNodes(new Set(['new-one'])))).toBe(text);
  });

  test('changes by nothing but positions when its layout is tidied', () => {
    const tidied = edit(text, tidyLayout());
    const { nodes, ...others } = read(tidied);
    const plain = nodes.map(({ position: _, ...node }) => node);
    expect({ ...others, nodes: plain }).toEqual(read(text));
    const ids = new Map(nodes.map(({ id }) => [id, { position: undefined }]));
    let restored = tidied;
    for (const id of ids.keys()) restored = edit(restored, changeNode(id, { position: undefined }));
    expect(read(restored)).toEqual(read(text));
  });
});

test('samples and a new text are formatted as this repository formats, after a tidied layout and a new node', () => {
  const node = { id: 'new-one', type: 'set', parameters: { values: { text: 'x'.repeat(70), more: 'yes' } } };
  const changed = samples.map(([, text]) =>
    edit(text, tidyLayout(), addNode(node), connectNodes({ sourceNodeId: 'a', targetNodeId: 'new-one' })),
  );
  checkFormat([...changed, ...samples.map(([, text]) => writeDefinition(read(text)))]);
});

describe('a text', () => {
  const hello = (samples.find(([name]) => name === 'hello.json') ?? ['', ''])[1];

  test('of a new workflow is written as the samples are', () => {
    const written = writeDefinition(read(hello));
    expect(read(written)).toEqual(read(hello));
  });

  test('keeps blanks and notations of what did not change', () => {
    const odd =
      '{"nodes":[ {"id":"a",  "type":"set","parameters":{"n":1.0e1}},\n\n\t{ "id": "b", "type": "set" }\n],\n "name" : "\\u0041"}';
    const changed = edit(odd, changeNode('b', { notes: 'yes' }));
    expect(changed).toContain('{"id":"a",  "type":"set","parameters":{"n":1.0e1}}');
    expect(changed).toContain('"name" : "\\u0041"');
    expect(read(changed).nodes[1]).toEqual({ id: 'b', type: 'set', notes: 'yes' });
  });

  test('gets one line for a moved node', () => {
    const { nodes } = read(hello);
    const [{ id } = { id: '' }] = nodes;
    const changed = edit(hello, moveNodes(new Map([[id, { x: 10.4, y: -3.6 }]])));
    expect(only(changed, hello).join(' ')).toContain('"position": { "x": 10, "y": -4 }');
  });

  test('keeps a member that is called __proto__', () => {
    const text = '{ "nodes": [{ "id": "a", "type": "set", "parameters": { "__proto__": { "x": 1 } } }] }\n';
    const changed = edit(text, changeNode('a', { disabled: true }));
    expect(changed).toContain('"__proto__": { "x": 1 }');
  });

  test.each([
    ['[]', /must be a JSON object/],
    ['{', /JSON/],
    ['{ "nodes": 1 }', /"nodes" must be a list/],
    ['{ "nodes": [1] }', /nodes\/0 must be an object/],
    ['{ "nodes": [{ "id": "a", "type": "b" }, { "id": "a", "type": "b" }] }', /two nodes have the id "a"/],
    ['{ "nodes": [{ "id": "a", "type": "b", "parameters": [] }] }', /parameters must be an object/],
    ['{ "nodes": [], "connections": {} }', /"connections" must be a list/],
    ['{ "nodes": [], "connections": [{}] }', /connections\/0 must have/],
    [' '.repeat(4_000_001), /longer than/],
    [`{ "nodes": ${'['.repeat(200)}${']'.repeat(200)} }`, /more than 200 levels/],
    [`{ "nodes": ${'[{"a":'.repeat(100_000)}1${'}]'.repeat(100_000)} }`, /more than 200 levels/],
  ])('without a definition says why: %.70s', (text, problem) => {
    expect(readDefinition(text)).toEqual({ problem: expect.stringMatching(problem) });
  });
});
