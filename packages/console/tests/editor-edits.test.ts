import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  addNode,
  changeNode,
  changeWorkflow,
  chooseCredential,
  chooseId,
  connectNodes,
  disconnectNodes,
  type Edit,
  type EditedDefinition,
  insertNode,
  moveNodes,
  pasteFragment,
  problemOfId,
  removeNodes,
  renameNode,
  takeFragment,
  tidyLayout,
} from '../src/views/editor/definition/definition-edits.ts';
import { readDefinition } from '../src/views/editor/definition/definition-text.ts';
import {
  editGraph,
  editText,
  endGroup,
  isSameDraft,
  openDraft,
  redoStep,
  startHistory,
  undoStep,
} from '../src/views/editor/draft.ts';
import { readFragment, writeFragment } from '../src/views/editor/fragment-text.ts';
import { mergeDefinitions } from '../src/views/editor/merge-definitions.ts';

const noLiterals = () => [];

const chain = (...ids: readonly string[]): EditedDefinition => ({
  id: 'w',
  nodes: ids.map((id) => ({ id, type: 'set' })),
  connections: ids.slice(1).map((id, index) => ({ sourceNodeId: ids[index] ?? '', targetNodeId: id })),
});

describe('an edit', () => {
  test('chooses ids that a person would choose', () => {
    const definition = chain('set', 'webhook');
    expect(chooseId(definition, 'set')).toBe('set2');
    expect(chooseId(definition, 'webhookTrigger')).toBe('webhook2');
    expect(chooseId(definition, 'acme.sendMail')).toBe('sendMail');
    expect(chooseId(definition, '§')).toBe('node');
    expect(chooseId(definition, 'x'.repeat(99))).toHaveLength(64);
  });

  test('inserts a node into a connection in its place of the list', () => {
    const definition: EditedDefinition = {
      ...chain('a', 'b', 'c'),
      connections: [
        { sourceNodeId: 'a', sourceOutput: 'true', targetNodeId: 'b' },
        { sourceNodeId: 'b', targetNodeId: 'c' },
      ],
    };
    const edit = insertNode(
      { id: 'n', type: 'if' },
      { sourceNodeId: 'a', sourceOutput: 'true', targetNodeId: 'b' },
      'false',
    );
    expect(edit(definition).connections).toEqual([
      { sourceNodeId: 'a', sourceOutput: 'true', targetNodeId: 'n' },
      { sourceNodeId: 'n', sourceOutput: 'false', targetNodeId: 'b' },
      { sourceNodeId: 'b', targetNodeId: 'c' },
    ]);
  });

  test('leaves defaults out, and connects only once', () => {
    const first = connectNodes({
      sourceNodeId: 'b',
      sourceOutput: 'main',
      targetNodeId: 'a',
      targetInput: 'main',
    });
    const connected = first(chain('a', 'b'));
    expect(connected.connections?.at(-1)).toEqual({ sourceNodeId: 'b', targetNodeId: 'a' });
    expect(first(connected)).toBe(connected);
    expect(
      disconnectNodes({ sourceNodeId: 'b', sourceOutput: 'main', targetNodeId: 'a' })(connected),
    ).toEqual(chain('a', 'b'));
  });

  test('removes nodes with their connections', () => {
    expect(removeNodes(new Set(['b']))(chain('a', 'b', 'c'))).toEqual({
      ...chain('a', 'c'),
      connections: [],
    });
    const definition = chain('a');
    expect(removeNodes(new Set(['x']))(definition)).toBe(definition);
  });

  test('changes what the workflow says of itself where the samples have it, and keeps it disabled', () => {
    const definition = { id: 'w', name: 'W', nodes: [], connections: [] };
    const changed = changeWorkflow({ enabled: false, tags: ['a'], settings: { metrics: true } })(definition);
    expect(Object.keys(changed)).toEqual([
      'id',
      'name',
      'enabled',
      'tags',
      'nodes',
      'connections',
      'settings',
    ]);
    expect(changeWorkflow({ enabled: undefined, tags: [], settings: {} })(changed)).toEqual(definition);
    expect(changeWorkflow({ description: '' })(definition)).toBe(definition);
  });

  test('gives a node a credential, and a webhook also its authentication', () => {
    const definition: EditedDefinition = {
      nodes: [
        { id: 'in', type: 'webhookTrigger', parameters: { path: '/x' } },
        { id: 'call', type: 'httpRequest', parameters: { url: '/' } },
      ],
    };
    const [trigger, call] = definition.nodes;
    if (trigger === undefined || call === undefined) throw new Error('no nodes');
    const { nodes } = chooseCredential(call, { id: 'api', type: 'httpBearer' })(
      chooseCredential(trigger, { id: 'key', type: 'apiKey' })(definition),
    );
    expect(nodes).toEqual([
      { ...trigger, parameters: { path: '/x', authentication: 'apiKey' }, credentialId: 'key' },
      { ...call, credentialId: 'api' },
    ]);
    const [authenticated = trigger] = nodes;
    expect(chooseCredential(authenticated, null)({ nodes: [authenticated] }).nodes).toEqual([trigger]);
  });

  test('keeps members that are called like those of every object', () => {
    const definition = JSON.parse(
      '{ "nodes": [{ "id": "a", "type": "set", "__proto__": { "x": 1 }, "constructor": 2 }] }',
    ) as EditedDefinition;
    const changed = changeNode('a', { name: 'A' })(definition);
    expect(JSON.stringify(changed)).toBe(
      '{"nodes":[{"id":"a","type":"set","__proto__":{"x":1},"constructor":2,"name":"A"}]}',
    );
  });

  test('adds a member where the samples have it, and removes one that is empty', () => {
    const definition = { nodes: [{ id: 'a', type: 'set', parameters: {}, position: { x: 1, y: 1 } }] };
    const changed = changeNode('a', { disabled: true, name: 'A' })(definition);
    expect(Object.keys(changed.nodes[0] ?? {})).toEqual([
      'id',
      'type',
      'name',
      'parameters',
      'disabled',
      'position',
    ]);
    expect(changeNode('a', { disabled: false, name: '' })(changed)).toEqual(definition);
    expect(changeNode('a', { notes: '' })(definition)).toBe(definition);
  });
});

const reading = (text: string, type = 'set'): EditedDefinition => ({
  ...chain('a', 'b'),
  nodes: [
    { id: 'a', type: 'set' },
    { id: 'b', type, parameters: { values: { text } } },
  ],
});

describe('a rename', () => {
  test.each([
    ['{{ $nodes.a.body }}', '{{ $nodes.renamed.body }}'],
    ['{{ $nodes.`a`.body & $nodes.ab }}', '{{ $nodes.`renamed`.body & $nodes.ab }}'],
    ['{{$nodes."a".x}} and {{ $nodes . a[0] }}', '{{$nodes."renamed".x}} and {{ $nodes . renamed[0] }}'],
    ["{{ $lookup($nodes, 'a') }}", "{{ $lookup($nodes, 'renamed') }}"],
    ['{{ items.($nodes.a.rate * price) }}', '{{ items.($nodes.renamed.rate * price) }}'],
    ['{{ x[$nodes.a.id = id].y }}', '{{ x[$nodes.renamed.id = id].y }}'],
    ['{{ {"k": $nodes.a} }}', '{{ {"k": $nodes.renamed} }}'],
    ['{{ $sum($nodes.a.n ?: 0) ~> $string }}', '{{ $sum($nodes.renamed.n ?: 0) ~> $string }}'],
    [
      '{{ error.nodeId = "a" or error.nodeId = "b" }}',
      '{{ error.nodeId = "renamed" or error.nodeId = "b" }}',
    ],
    ["{{ 'a' != $nodes.b.error.nodeId }}", "{{ 'renamed' != $nodes.b.error.nodeId }}"],
    [
      '{{ error.nodeId in ["x", "a"] and name = "a" }}',
      '{{ error.nodeId in ["x", "renamed"] and name = "a" }}',
    ],
    ['{{ "$nodes.a" & a & $trigger.a }}', '{{ "$nodes.a" & a & $trigger.a }}'],
    ['{{ ($nodes := {"a": 1}; $nodes.a) }}', '{{ ($nodes := {"a": 1}; $nodes.a) }}'],
    ['{{ $nodes.a. }} is no expression', '{{ $nodes.a. }} is no expression'],
    ['$nodes.a is text', '$nodes.a is text'],
  ])('rewrites %s', (before, after) => {
    const renamed = renameNode('a', 'renamed', noLiterals)(reading(before));
    expect(renamed.nodes[1]?.parameters).toEqual({ values: { text: after } });
    expect(renamed.connections).toEqual([{ sourceNodeId: 'renamed', targetNodeId: 'b' }]);
  });

  const merged = (text: string): EditedDefinition => ({
    nodes: [
      { id: 'a', type: 'set' },
      { id: 'other', type: 'set' },
      { id: 'm', type: 'merge', parameters: { mode: 'byNode' } },
      { id: 'end', type: 'set', parameters: { values: { text } } },
      { id: 'last', type: 'set', parameters: { values: { text: '{{ a.x }}' } } },
    ],
    connections: [
      { sourceNodeId: 'a', targetNodeId: 'm' },
      { sourceNodeId: 'other', targetNodeId: 'm' },
      { sourceNodeId: 'm', targetNodeId: 'end' },
      { sourceNodeId: 'end', targetNodeId: 'last' },
    ],
  });

  test.each([
    ['{{ a.name }}', '{{ n-1.name }}'],
    ['{{ $sum(a.items.a) + ($x := a; $x.a) }}', '{{ $sum(n-1.items.a) + ($x := n-1; $x.a) }}'],
    ['{{ {"a": a, "b": [a[a.x = 1]]} }}', '{{ {"a": n-1, "b": [n-1[a.x = 1]]} }}'],
    ['{{ other.items.(a & $$.a) }}', '{{ other.items.(a & $$.n-1) }}'],
    ['{{ a.x ? $.a : other.a }}', '{{ n-1.x ? $.n-1 : other.a }}'],
    ['{{ $nodes.m.a.x & $nodes.other.a }}', '{{ $nodes.m.n-1.x & $nodes.other.a }}'],
  ])('of a key of a merge by node rewrites %s', (before, after) => {
    const renamed = renameNode('a', 'n-1', noLiterals)(merged(before));
    expect(renamed.nodes[3]?.parameters).toEqual({ values: { text: after.replaceAll('n-1', '`n-1`') } });
    expect(renamed.nodes[4]).toEqual(merged('').nodes[4]);
  });

  test('quotes an id that is no plain name', () => {
    const renamed = renameNode('a', 'a-1', noLiterals)(reading('{{ $nodes.a.x + $nodes.a.y }}'));
    expect(renamed.nodes[1]?.parameters).toEqual({
      values: { text: '{{ $nodes.`a-1`.x + $nodes.`a-1`.y }}' },
    });
  });

  test('leaves braces that are literal text', () => {
    const definition = reading('{{ $nodes.a }}', 'code');
    const renamed = renameNode('a', 'c', (type) => (type === 'code' ? ['values'] : []))(definition);
    expect(renamed.nodes[1]).toBe(definition.nodes[1]);
  });

  test('is refused for an id that is taken or invalid', () => {
    const definition = chain('a', 'b');
    expect(renameNode('a', 'b', noLiterals)(definition)).toBe(definition);
    expect(problemOfId(definition, 'b', 'a')).toMatch(/already/);
    expect(problemOfId(definition, 'b', 'b')).toBeNull();
    expect(problemOfId(definition, 'a b', 'a')).toMatch(/Up to 64/);
  });
});

describe('a paste', () => {
  test('gives copies free ids, and lets their references follow', () => {
    const definition = reading('{{ $nodes.a.x }}');
    const fragment = takeFragment(definition, new Set(['a', 'b']));
    const { edit, ids } = pasteFragment(definition, fragment, noLiterals);
    expect([...ids]).toEqual(['a2', 'b2']);
    const pasted = edit(definition);
    expect(pasted.nodes.slice(2)).toEqual([
      { id: 'a2', type: 'set' },
      { id: 'b2', type: 'set', parameters: { values: { text: '{{ $nodes.a2.x }}' } } },
    ]);
    expect(pasted.connections?.at(-1)).toEqual({ sourceNodeId: 'a2', targetNodeId: 'b2' });
  });

  test('reads what a copy wrote, and no text that is too long or has no nodes', () => {
    const fragment = takeFragment(chain('a', 'b'), new Set(['a', 'b']));
    expect(readFragment(writeFragment(fragment))).toEqual(fragment);
    expect(readFragment('{ "nodes": 1 }')).toEqual({ problem: '"nodes" must be a list' });
    expect(readFragment(' '.repeat(1_000_001))).toEqual({ problem: expect.stringContaining('longer') });
  });

  test('takes only connections among the copied nodes', () => {
    expect(takeFragment(chain('a', 'b', 'c'), new Set(['a', 'b'])).connections).toHaveLength(1);
  });

  test('keeps the ids in a workflow that has none of them', () => {
    const { ids } = pasteFragment(chain('x'), { nodes: chain('a').nodes, connections: [] }, noLiterals);
    expect([...ids]).toEqual(['a']);
  });
});

describe('a merge', () => {
  const base = chain('a', 'b', 'c');

  test('takes both changes of different nodes', () => {
    const mine = changeNode('a', { notes: 'mine' })(base);
    const theirs = addNode({ id: 'd', type: 'set' })(changeNode('b', { notes: 'theirs' })(base));
    const { definition, conflicts } = mergeDefinitions(base, mine, theirs);
    expect(conflicts).toEqual([]);
    expect(definition.nodes.map(({ id, notes }) => [id, notes])).toEqual([
      ['a', 'mine'],
      ['b', 'theirs'],
      ['c', undefined],
      ['d', undefined],
    ]);
  });

  test('names what both changed, and keeps mine', () => {
    const mine = { ...changeNode('a', { notes: 'mine' })(base), name: 'Mine' };
    const theirs = { ...changeNode('a', { notes: 'theirs' })(base), name: 'Theirs' };
    const { definition, conflicts } = mergeDefinitions(base, mine, theirs);
    expect(conflicts.map(({ name }) => name)).toEqual(['node a', 'workflow name']);
    const chosen = mergeDefinitions(base, mine, theirs, new Set(['node a'])).definition;
    expect([chosen.name, chosen.nodes[0]?.notes]).toEqual(['Mine', 'theirs']);
    expect([definition.name, definition.nodes[0]?.notes]).toEqual(['Mine', 'mine']);
  });

  test('names a node that one changed and the other removed', () => {
    const mine = changeNode('b', { notes: 'mine' })(base);
    const { definition, conflicts } = mergeDefinitions(base, mine, removeNodes(new Set(['b']))(base));
    expect(conflicts.map(({ name }) => name)).toEqual(['node b']);
    expect(definition.connections).toEqual(base.connections);
    expect(definition.nodes.map(({ id }) => id)).toEqual(['a', 'c', 'b'].toSorted());
  });

  test('names a removed node that the other connected', () => {
    const mine = connectNodes({ sourceNodeId: 'a', targetNodeId: 'c' })(base);
    const { definition, conflicts } = mergeDefinitions(base, mine, removeNodes(new Set(['c']))(base));
    expect(conflicts.map(({ name }) => name)).toEqual(['node c']);
    expect(definition.connections).toEqual(mine.connections);
    const chosen = mergeDefinitions(base, mine, removeNodes(new Set(['c']))(base), new Set(['node c']));
    expect(chosen.definition.connections).toEqual([{ sourceNodeId: 'a', targetNodeId: 'b' }]);
  });
});

const START = '{ "id": "w", "nodes": [{ "id": "a", "type": "set" }], "connections": [] }\n';

const started = () => {
  const draft = openDraft(START);
  if (draft === null) throw new Error('the start has no definition');
  return startHistory(draft);
};

describe('a history', () => {
  test('shows the last value while the text is not readable, and edits nothing but the text', () => {
    const broken = editText(started(), '{ "nodes": ');
    expect(broken.present.problem).toMatch(/JSON/);
    expect(broken.present.definition.nodes).toHaveLength(1);
    expect(editGraph(broken, tidyLayout())).toBe(broken);
    expect(undoStep(broken).present.text).toBe(START);
  });

  test('writes the text of an edit when it is read first, from the latest text that is written', () => {
    let history = started();
    const [untouched] = history.present.definition.nodes;
    const { written } = history.present;
    for (const id of ['b', 'c', 'd']) history = editGraph(history, addNode({ id, type: 'set' }));
    const { present } = history;
    expect(present.written).toBe(written);
    expect(present.definition.nodes[0]).toBe(untouched);
    expect(JSON.parse(present.text)).toEqual(present.definition);
    expect(present.written).toEqual({ text: present.text, definition: present.definition });
    expect(present.written.definition).toBe(present.definition);
    const moved = editGraph(history, moveNodes(new Map([['b', { x: 1, y: 1 }]])));
    expect(moved.present.written).toBe(present.written);
    expect(
      moved.present.definition.nodes.map((node, index) => node === present.definition.nodes[index]),
    ).toEqual([true, false, true, true]);
  });

  test('knows whether a draft says what another says, blanks included', () => {
    const history = started();
    const added = editGraph(history, addNode({ id: 'b', type: 'set' }));
    const removed = editGraph(added, removeNodes(new Set(['b'])));
    expect(isSameDraft(added.present, history.present)).toBe(false);
    expect(added.present.written).toBe(history.present.written); // it was not written for it
    expect(isSameDraft(removed.present, history.present)).toBe(true);
    expect(isSameDraft(editText(history, `${START} `).present, history.present)).toBe(false);
    expect(isSameDraft(editText(history, '{').present, history.present)).toBe(false);
  });

  test('what is typed into one field is undone at once, unless one pauses or leaves it', () => {
    const set = (parameters: object) => changeNode('a', { parameters });
    const apply = (edits: readonly Edit[]) =>
      edits.reduce((before, edit) => editGraph(before, edit), started());
    const typed = apply([set({ x: 'h' }), set({ x: 'he' }), set({ x: 'hey' })]);
    expect(undoStep(typed).present.text).toBe(START);
    expect(apply([set({ x: 'h' }), set({ x: 'h', y: 'h' }), set({ x: 'hi', y: 'h' })]).past).toHaveLength(3);
    expect(apply([set({ x: 1 }), set({ x: 12 })]).past).toHaveLength(1);
    expect(apply([set({ x: true }), set({ x: false })]).past).toHaveLength(2);
    const paused = editGraph(endGroup(typed), set({ x: 'hey you' }));
    expect(undoStep(paused).present).toEqual(typed.present);
  });

  test('undoes what was typed in one go at once', () => {
    const typed = [' ', '  ', '   '].reduce(
      (history, blanks) => editText(history, START + blanks),
      started(),
    );
    expect(undoStep(typed).present.text).toBe(START);
    expect(redoStep(undoStep(typed)).present.text).toBe(`${START}   `);
  });

  test('keeps a bounded number of states', () => {
    let history = started();
    for (let x = 1; x <= 300; x++) history = editGraph(history, moveNodes(new Map([['a', { x, y: 0 }]])));
    expect(history.past).toHaveLength(200);
  });

  test('keeps a bounded number of characters', () => {
    let history = started();
    for (let x = 1; x <= 8; x++) {
      history = editGraph(history, changeNode('a', { notes: String(x).repeat(3_999_000) }));
    }
    expect(history.past.length).toBeLessThan(6);
  });

  const place = fc.nat(5);
  const operation: fc.Arbitrary<(definition: EditedDefinition) => Edit> = fc.oneof(
    fc.constantFrom('set', 'if', 'webhookTrigger').map((type) => (definition: EditedDefinition) => {
      return addNode({ id: chooseId(definition, type), type, parameters: { text: '{{ $nodes.a.x }}' } });
    }),
    fc
      .tuple(place, place, fc.constantFrom('main', 'true'))
      .map(([from, to, sourceOutput]) => (d: EditedDefinition) => {
        const [source, target] = [d.nodes[from]?.id, d.nodes[to]?.id];
        if (source === undefined || target === undefined) return tidyLayout();
        return connectNodes({ sourceNodeId: source, sourceOutput, targetNodeId: target });
      }),
    place.map((index) => (d: EditedDefinition) => removeNodes(new Set([d.nodes[index]?.id ?? '']))),
    fc.tuple(place, fc.constantFrom('a', 'x-1', 'y')).map(
      ([index, id]) =>
        (d: EditedDefinition) =>
          renameNode(d.nodes[index]?.id ?? '', id, noLiterals),
    ),
    fc.tuple(place, fc.string(), fc.boolean()).map(([index, notes, disabled]) => (d: EditedDefinition) => {
      return changeNode(d.nodes[index]?.id ?? '', { notes, disabled });
    }),
    fc.tuple(place, fc.jsonValue()).map(([index, value]) => (d: EditedDefinition) => {
      return changeNode(d.nodes[index]?.id ?? '', { parameters: { value } });
    }),
    fc.tuple(place, place).map(([one, other]) => (d: EditedDefinition) => {
      const ids = new Set([d.nodes[one]?.id ?? '', d.nodes[other]?.id ?? '']);
      return pasteFragment(d, takeFragment(d, ids), noLiterals).edit;
    }),
    place.map((index) => (d: EditedDefinition) => {
      const connection = d.connections?.[index];
      const node = { id: chooseId(d, 'wait'), type: 'wait' };
      return connection === undefined ? addNode(node) : insertNode(node, connection);
    }),
    fc.constant(() => tidyLayout()),
  );

  test('keeps graph and text in step in any sequence of edits, and undo restores every state', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 25 }), (operations) => {
        const states = [started()];
        for (const make of operations) {
          const before = states.at(-1) ?? started();
          const after = endGroup(editGraph(before, make(before.present.definition)));
          if (after !== before) states.push(after);
          expect(readDefinition(after.present.text)).toEqual({
            definition: JSON.parse(JSON.stringify(after.present.definition)),
          });
        }
        let history = states.at(-1) ?? started();
        for (const state of states.toReversed()) {
          expect(history.present).toBe(state.present);
          history = undoStep(history);
        }
        for (const state of states.slice(1)) {
          history = redoStep(history);
          expect(history.present).toBe(state.present);
        }
      }),
      { numRuns: 200 },
    );
  });
});
