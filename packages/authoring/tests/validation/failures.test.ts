import type { JsonObject } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { loadNodeTypes } from '../../../cli/plugins/node-types.ts';
import { findFormatChanges } from '../../validation/find-format-changes.ts';
import { validateWorkflow } from '../../validation/validate.ts';

let findNodeType: FindNodeType;
beforeAll(async () => {
  findNodeType = await loadNodeTypes();
});

interface AFlow {
  readonly format?: number;
  readonly onError?: string;
  /** The node that may fail. */
  readonly call?: JsonObject;
  /** Types and parameters of the nodes behind it, by id. */
  readonly nodes: Readonly<Record<string, readonly [string, JsonObject]>>;
  readonly edges: readonly string[];
}

const SET = (text: string): readonly [string, JsonObject] => ['set', { values: { x: text } }];
const IF = (text: string): readonly [string, JsonObject] => ['if', { condition: text }];

const aFile = ({ format = 2, onError = 'continue', call = {}, nodes, edges }: AFlow) => ({
  ...{ id: 'w', name: 'W', format },
  nodes: [
    { id: 'start', type: 'webhookTrigger', parameters: {} },
    {
      id: 'call',
      type: 'httpRequest',
      parameters: { url: 'https://pay.example/status' },
      settings: { onError },
      ...call,
    },
    ...Object.entries(nodes).map(([id, [type, parameters]]) => ({ id, type, parameters })),
  ],
  connections: ['start -> call', ...edges].map((edge) => {
    const [, sourceNodeId = '', sourceOutput = 'main', targetNodeId = ''] =
      /^(\w+)(?:\.(\w+))? -> (\w+)$/.exec(edge) ?? [];
    return { sourceNodeId, sourceOutput, targetNodeId };
  }),
});

/** What is said of a workflow; its texts alone if all are of one place. */
const check = async (flow: AFlow) => {
  const { problems, warnings } = await validateWorkflow(aFile(flow), findNodeType);
  expect(problems).toEqual([]);
  return warnings.map(({ path, message }) => `${path}: ${message}`);
};

const behind = (text: string, others: Partial<AFlow> = {}) =>
  check({ nodes: { next: SET(text) }, edges: ['call -> next'], ...others });

const PLACE = '/nodes/2/parameters/values/x';
const MERGED = '/nodes/3/parameters/values/x';

describe('behind a node that passes on its failures', () => {
  test('a field that only its success has is told', async () => {
    expect(await behind('{{ body.paid }}')).toEqual([
      `${PLACE}: there is no "body" if "call" fails, since its onError passes on { error, input }: ask for $exists(error) first, or give another value with ??`,
    ]);
    expect(await behind('{{ $nodes.call.body.paid }}')).toEqual([
      `${PLACE}: there is no "$nodes.call.body" if "call" fails, since its onError passes on { error, input }: ask for $exists($nodes.call.error) first, or give another value with ??`,
    ]);
  });

  test('a field that only its failure has is told', async () => {
    expect(await behind('{{ input.body.id }}')).toEqual([
      `${PLACE}: there is no "input" unless "call" fails: ask for $exists(error) first`,
    ]);
  });

  test('a field that neither has is missing as everywhere', async () => {
    expect(await behind('{{ paid }}')).toEqual([
      `${PLACE}: the input has no "paid", but "status", "headers", "body", "url", "error", "input"`,
    ]);
  });

  test('in format 1, a field that its input may have, too, is told, whatever guards it', async () => {
    for (const text of ['{{ body.paid }}', '{{ body.paid ?? false }}', '{{ $exists(body) }}'])
      expect(await behind(text, { format: 1 })).toEqual([
        `${PLACE}: "body" is from the input of "call" if that node fails, since its onError passes the input on: ask for $exists(error) first`,
      ]);
  });

  test('a node whose output is not known has none of its fields if it fails', async () => {
    const call = { type: 'code', parameters: { code: 'return $input.body' } };
    expect(await behind('{{ total }}', { call })).toEqual([
      `${PLACE}: there is no "total" if "call" fails, since its onError passes on { error, input }: ask for $exists(error) first, or give another value with ??`,
    ]);
    expect(await behind('{{ body.id }}', { call, format: 1 })).toEqual([]);
  });

  test.each([
    "{{ $exists(error) ? 'failed' : body.paid }}",
    "{{ body.paid ?? 'unknown' }}",
    "{{ body.paid ?: 'unknown' }}",
    '{{ $exists(body) and $exists(status) }}',
    '{{ error.message & body.paid }}',
    '{{ error.message }}',
    '{{ $nodes.call.error.name }}',
    '{{ $trigger.body.paid }}',
  ])('nothing is told of %s, which asks what there is', async (text) => {
    expect(await behind(text)).toEqual([]);
  });

  test('nothing is told of a node that keeps the error beside the field', async () => {
    const next: AFlow['nodes'][string] = [
      'set',
      { values: { failed: '{{ $exists(error) }}', paid: '{{ body.paid }}' } },
    ];
    expect(await check({ nodes: { next }, edges: ['call -> next'] })).toEqual([]);
  });

  test.each([1, 2])('nothing is told behind a condition on the error, in format %i', async (format) => {
    const nodes = {
      failed: IF('{{ $exists(error) }}'),
      next: SET('{{ body.paid }}'),
      late: SET('{{ $nodes.call.body.paid }}'),
      say: SET('{{ error.message }}'),
    };
    const edges = ['call -> failed', 'failed.false -> next', 'next -> late', 'failed.true -> say'];
    expect(await check({ format, nodes, edges })).toEqual([]);
  });

  test('a condition on something else is no guard', async () => {
    const nodes = { big: IF('{{ $trigger.body.total > 5 }}'), next: SET('{{ body.paid }}') };
    const edges = ['call -> big', 'big.true -> next'];
    expect(await check({ nodes, edges })).toEqual([
      expect.stringContaining('there is no "body" if "call" fails'),
    ]);
  });

  test.each([1, 2])('a condition on a field of its success is told itself, in format %i', async (format) => {
    const nodes = { paid: IF('{{ body.paid }}'), next: SET('{{ body.id }}') };
    const edges = ['call -> paid', 'paid.true -> next'];
    expect(await check({ format, nodes, edges })).toEqual([
      expect.stringMatching(/^\/nodes\/2\/parameters\/condition/),
    ]);
  });

  test('in format 1, what passes its input on has the same fields either way', async () => {
    const call = { type: 'noOp', parameters: {} };
    expect(await behind('{{ body.id }}', { call, format: 1 })).toEqual([]);
  });

  test('a disabled node does not fail', async () => {
    expect(await behind('{{ body.id }}', { call: { disabled: true } })).toEqual([]);
  });
});

describe('behind a node that routes its failures', () => {
  const route = (nodes: AFlow['nodes'], edges: readonly string[], format = 2) =>
    check({ onError: 'route', nodes, edges, format });

  test('each side has fields of its own', async () => {
    const nodes = { good: SET('{{ body.paid }}'), bad: SET('{{ error.message & input.body.id }}') };
    expect(await route(nodes, ['call -> good', 'call.error -> bad'])).toEqual([]);
    const wrong = { good: SET('{{ error.message }}'), bad: SET('{{ body.id }}') };
    expect(await route(wrong, ['call -> good', 'call.error -> bad'])).toEqual([
      expect.stringContaining('the input has no "error"'),
      expect.stringContaining('the input has no "body", but "error", "input"'),
    ]);
  });

  test('$nodes has what the node gave on that side', async () => {
    const nodes = {
      good: SET('1'),
      bad: SET('2'),
      late: SET('{{ $nodes.call.body }}'),
      later: SET('{{ $nodes.call.body }}'),
    };
    const edges = ['call -> good', 'call.error -> bad', 'good -> late', 'bad -> later'];
    expect(await route(nodes, edges)).toEqual([
      expect.stringContaining(
        '/nodes/5/parameters/values/x: $nodes.call has no "body", but "error", "input"',
      ),
    ]);
  });

  test('where both sides come together, it may have failed', async () => {
    const nodes = { good: SET('1'), bad: SET('2'), both: SET('{{ $nodes.call.body }}') };
    const edges = ['call -> good', 'call.error -> bad', 'good -> both', 'bad -> both'];
    expect(await route(nodes, edges)).toEqual([
      expect.stringContaining('there is no "$nodes.call.body" if "call" fails'),
    ]);
    expect(await route({ both: SET('{{ body }}') }, ['call -> both', 'call.error -> both'])).toEqual([
      expect.stringContaining('there is no "body" if "call" fails'),
    ]);
  });
});

test('of a node in a loop, each side is what follows it before the loop comes back', async () => {
  const nodes = { pause: ['wait', { seconds: 1 }] as const, next: SET('{{ $nodes.call.body }}') };
  const edges = ['call.error -> pause', 'pause -> call', 'call -> next'];
  expect(await check({ onError: 'route', nodes, edges })).toEqual([]);
});

test('what format 2 changes about the failures of a node is told for a file of format 1', () => {
  const flow = { nodes: { next: SET('{{ error.message }}') }, edges: ['call -> next'] };
  expect(findFormatChanges(aFile({ ...flow, format: 1 }) as never, findNodeType)).toEqual([
    {
      path: '/nodes/1/settings/onError',
      message:
        'with "format": 2, "call" gives { error, input } if it fails: what reads a field of its input then, reads it as input.FIELD',
    },
  ]);
  expect(findFormatChanges(aFile(flow) as never, findNodeType)).toEqual([]);
});

test.each<[JsonObject, string, string]>([
  [
    { deduplication: '"order/" & body.id' },
    '/deduplication',
    'a delivery has no key if a part that "&" joins',
  ],
  [
    { answer: { headers: { location: '/orders/{{ body.id }}' } } },
    '/answer/headers/location',
    'the caller gets 202 without the answer if "{{ body.id }}" gives nothing',
  ],
  [
    { handshake: { scheme: 'custom', match: 'true', answer: { body: { a: ['{{ body.id }}'] } } } },
    '/handshake/answer/body/a/0',
    'the sender gets 422 if "{{ body.id }}" gives nothing',
  ],
])('what format 2 changes about a webhook with %j is told', (parameters, path, says) => {
  const flow = aFile({ format: 1, nodes: {}, edges: [], onError: 'fail' });
  const nodes = [{ id: 'start', type: 'webhookTrigger', parameters }];
  expect(findFormatChanges({ ...flow, nodes } as never, findNodeType)).toMatchObject([
    { path: `/nodes/0/parameters${path}`, message: expect.stringContaining(says) },
  ]);
});

test.each<JsonObject>([
  { deduplication: 'body.id' },
  { deduplication: '(body.id ?? "a") & (body.part ?? "")' },
  { answer: { body: '{{ body.id }}', headers: { a: "{{ body.id ?? '' }}" } } },
])('nothing changes about a webhook with %j', (parameters) => {
  const flow = aFile({ format: 1, nodes: {}, edges: [], onError: 'fail' });
  const nodes = [{ id: 'start', type: 'webhookTrigger', parameters }];
  const found = findFormatChanges({ ...flow, nodes } as never, findNodeType);
  expect(found).toEqual([]);
});

describe('behind a merge of several inputs', () => {
  const merged = (text: string, others: Partial<AFlow> & { readonly edge?: string } = {}) =>
    check({
      nodes: { other: ['set', { values: { note: 'a' } }], next: SET(text) },
      edges: ['call -> next', 'start -> other', others.edge ?? 'other -> next'],
      ...others,
    });
  const NO_BODY = `${MERGED}: there is no "body" if "call" fails, since its onError passes on { error, input }: ask for $exists(error) first, or give another value with ??`;

  test('a field that only the success of one of them has is told', async () => {
    expect(await merged('{{ body.paid }}')).toEqual([NO_BODY]);
    expect(await merged('{{ boddy }}')).toEqual([expect.stringContaining('the input has no "boddy"')]);
  });

  test('what asks for the error, or another node delivers, is not', async () => {
    expect(await merged('{{ $exists(error) ? "no" : body.paid }}')).toEqual([]);
    expect(await merged('{{ note }}')).toEqual([]);
    const body = { nodes: { other: ['set', { values: { body: 'a' } }], next: SET('{{ body }}') } } as const;
    expect(await merged('', body)).toEqual([]);
    expect(await merged('{{ body.paid }}', { edge: 'start -> next' })).toEqual([]);
  });

  test('a failure that is routed to the same node is told with a third connection, too', async () => {
    const edges = ['call -> next', 'call.error -> next', 'start -> other', 'other -> next'];
    expect(await merged('{{ body.paid }}', { onError: 'route', edges })).toEqual([NO_BODY]);
  });

  test('each of several is told by its name, also behind a node that merges by node', async () => {
    const pay: readonly [string, JsonObject] = ['merge', { mode: 'byNode' }];
    const nodes = { other: SET('a'), both: pay, next: SET('{{ call.body.paid }}') };
    const edges = ['start -> other', 'call -> both', 'other -> both', 'both -> next'];
    expect(await check({ nodes, edges })).toEqual([
      expect.stringMatching(/^\/nodes\/4.*there is no "call\.body" if "call" fails/),
    ]);
  });
});
