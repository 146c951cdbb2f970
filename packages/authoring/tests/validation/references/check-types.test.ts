import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../../../../lib/adapters/runtime/system-clock.ts';
import { loadRegistry } from '../../../../../lib/plugins/load-registry.ts';
import { installedPlugins } from '../../../../../nodes/installed.ts';
import { silent } from '../../../../../tests/support/a-run.ts';
import { readSample, sampleNames } from '../../../../../tests/support/shown-workflows.ts';
import { validateWorkflow } from '../../../validation/validate.ts';

let findNodeType: FindNodeType;

beforeAll(async () => {
  ({ findNodeType } = await loadRegistry(installedPlugins, { logger: silent, clock: systemClock }));
});

interface ANode {
  readonly id: string;
  readonly type: string;
  readonly parameters: object;
}

const request = {
  path: '/orders/:id',
  responseMode: 'lastNode',
  schema: {
    type: 'object',
    properties: { total: { type: 'number' }, name: { type: 'string' }, lines: { type: 'array' } },
  },
};

/** A workflow of a webhook and the nodes, one after the other. */
const aChain = (...nodes: readonly ANode[]) => ({
  id: 'chain',
  name: 'Chain',
  enabled: true,
  nodes: [{ id: 'start', type: 'webhookTrigger', parameters: request }, ...nodes],
  connections: nodes.map(({ id }, at) => ({ sourceNodeId: nodes[at - 1]?.id ?? 'start', targetNodeId: id })),
});

const set = (id: string, values: object, others: object = {}): ANode => ({
  id,
  type: 'set',
  parameters: { values, ...others },
});

const check = async (...nodes: readonly ANode[]) => {
  const { problems, warnings } = await validateWorkflow(aChain(...nodes), findNodeType);
  return [...problems, ...warnings].map(({ message, severity = 'error' }) => `${severity}: ${message}`);
};

/** Of one expression behind the webhook. */
const checkExpression = (text: string) => check(set('a', { x: `{{ ${text} }}` }));

describe('a path that never exists', () => {
  test.each([
    ['headers.X-Event', '"X-Event" is not a header name here', 'headers.`x-event`'],
    ['headers.x-event', '"x-event" is not a header name here', 'headers.`x-event`'],
    ['headers.Host', '"Host" is not a header name here', 'headers.host'],
    ['$trigger.headers.`X-Event`', '"X-Event" is not a header name here', 'headers.`x-event`'],
    ['pathParams.orderId', 'pathParams has no "orderId", but "id"', null],
    ['$trigger.pathParams.ID', '$trigger.pathParams has no "ID", but "id"', '$trigger.pathParams.id'],
  ])('%s is an error', async (text, message, meant) => {
    const [found = '', ...others] = await checkExpression(text);
    expect(found).toContain(`error: ${message}`);
    if (meant !== null) expect(found).toContain(`did you mean "${meant}"?`);
    expect(others).toEqual([]);
  });

  test('from a node with known output fields is a warning, with a similar name', async () => {
    const calc = set('calc', { total: 1, tax: '{{ body.total }}' });
    const message = '$nodes.calc has no "totl", but "total", "tax"; did you mean "$nodes.calc.total"?';
    expect(await check(calc, set('b', { x: '{{ $nodes.calc.totl }}' }))).toEqual([`warning: ${message}`]);
    expect(await check(calc, set('b', { x: 'It is {{ totl }}.' }))).toEqual([
      'warning: the input has no "totl", but "total", "tax"; did you mean "total"?',
    ]);
    const pick = { id: 'pick', type: 'pick', parameters: { fields: ['name', 'a.b'] } };
    expect(await check(set('a', { name: 1, a: {} }), pick, set('b', { x: '{{ [a, nme] }}' }))).toEqual([
      'warning: the input has no "nme", but "name", "a"; did you mean "name"?',
    ]);
  });

  test('is detected through nodes that pass their input on', async () => {
    const nodes = [
      set('calc', { total: 1 }),
      { id: 'go', type: 'filter', parameters: { condition: '{{ total > 0 }}' } },
    ];
    expect(await check(...nodes, set('b', { x: '{{ totl }}' }))).toHaveLength(1);
    expect(await check(...nodes, set('b', { x: '{{ total }}' }, { keepInput: true }))).toEqual([]);
  });

  test('is not reported where not all fields are known', async () => {
    const code = { id: 'code', type: 'code', parameters: { code: 'return $input' } };
    const kept = set('kept', { total: 1 }, { keepInput: true });
    expect(await check(code, kept, set('b', { x: '{{ body.whatever & headers.host & totl }}' }))).toEqual([]);
    expect(await checkExpression('body.whatever')).toEqual([]);
    expect(await checkExpression('[body.lines.(sku & $$.headers.host)]')).toEqual([]);
  });
});

describe('what a node type declares', () => {
  const url = 'https://a.example/';
  const state = { store: 's', key: 'k' };
  const items = '{{ $trigger.body.lines }}';
  const returned = { type: 'object', additionalProperties: false, properties: { total: { type: 'number' } } };
  test.each<[string, object, string, string]>([
    ['httpRequest', { url }, 'created', 'status'],
    ['httpRequest', { url, pagination: 'link' }, 'body', 'pagesEnd'],
    ['httpRequest', { url, responseType: 'file' }, 'body.nmae', 'body.name'],
    ['llm', { provider: 'openai', model: 'm', prompt: 'p' }, 'json', 'text'],
    [
      'llm',
      {
        provider: 'openai',
        model: 'm',
        prompt: 'p',
        schema: { type: 'object', additionalProperties: false, properties: { intent: { type: 'string' } } },
      },
      'json.intnt',
      'json.intent',
    ],
    ['state', { ...state, operation: 'increment' }, 'count', 'value'],
    ['state', { ...state, operation: 'get' }, 'vlaue', 'found'],
    ['postgres', { query: 'SELECT 1' }, 'row', 'rows'],
    ['postgres', { query: 'SELECT 1', mode: 'affected' }, 'rows', 'affected'],
    [
      'email',
      { from: 'a@b.example', to: ['c@d.example'], subject: 's', text: 't', via: 'smtp' },
      'messageID',
      'messageId',
    ],
    ['rss', { url }, 'entries', 'items[0].title'],
    ['rss', { url }, 'items[0].url', 'items[0].link'],
    ['code', { code: '/** @returns {{ total: number }} */\nreturn {}' }, 'totl', 'total'],
    ['code', { code: 'return {}', output: returned }, 'totl', 'total'],
    ['csv', { text: 'a' }, 'rows', 'items[0].a'],
    ['csv', { operation: 'write', items }, 'csv', 'text'],
    ['xml', { text: '<a/>' }, 'xml', 'data.a'],
    ['html', { html: '<a/>', values: { link: { selector: 'a' } } }, 'links', 'link'],
    ['markdown', { markdown: 'a' }, 'text', 'html'],
    ['dateTime', {}, 'date', 'iso'],
    ['dateTime', { operation: 'difference', until: '2026-01-01' }, 'iso', 'difference'],
    ['crypto', { operation: 'uuid' }, 'uuid', 'value'],
    ['crypto', { operation: 'verify', data: 'a', signature: 'b', key: 'k' }, 'value', 'valid'],
    ['graphql', { url, query: '{ a }' }, 'body', 'data.a'],
    ['summarize', { items, values: { orders: { operation: 'count' } } }, 'items[0].count', 'items[0].orders'],
    ['aggregate', { items, fields: { ids: 'id' } }, 'id', 'ids'],
    ['compareLists', { left: items, right: items }, 'added', 'onlyRight'],
    ['batch', { items, size: 2 }, 'items', 'batches[0]'],
    ['removeDuplicates', { items }, 'count', 'removed'],
    ['slackMessage', { channel: 'C', text: 't' }, 'id', 'ts'],
    ['githubCreateIssue', { repository: 'a/b', title: 't' }, 'id', 'number'],
    ['githubListIssues', { repository: 'a/b' }, 'items', 'issues[0].title'],
    ['merge', { mode: 'append' }, 'body', 'items[0].body'],
    ['merge', { mode: 'byNode' }, 'strat', 'start.body'],
  ])('of %s %j is held against %s, and allows %s', async (type, parameters, wrong, right) => {
    const node = { id: 'node', type, parameters };
    const about = async (text: string) =>
      (await check(node, set('b', { x: `{{ ${text} }}` }))).filter((found) => /has no "/.test(found));
    expect(await about(wrong)).toEqual([expect.stringMatching(/^warning: .*has no "/)]);
    expect(await about(`$nodes.node.${wrong}`)).toEqual([
      expect.stringMatching(/^warning: \$nodes\.node.* has no "/),
    ]);
    expect(await about(right)).toEqual([]);
    expect(await about(`$nodes.node.${right}`)).toEqual([]);
  });
});

describe('of a long chain of nodes', () => {
  const chain = (length: number, expression: string, keepInput = false) => {
    const first = set('n0', { a: { b: 1 } });
    const others = Array.from({ length }, (_, at) =>
      set(`n${at + 1}`, { a: `{{ ${expression} }}` }, { keepInput }),
    );
    return aChain(first, ...others, set('last', { x: '{{ wrong }}' }));
  };

  // Each of these types contains the one before twice, or in alternatives.
  test.each([
    '{"x": a, "y": a}',
    '[{"x": a, "y": a}, 1]',
    'a ? {"x": a, "y": a} : 1',
    'a ? {"x": a} : [a]',
    '[a, [a], {"x": a}, $string(a)]',
  ])('the types of %j are limited, and what is known is checked', async (expression) => {
    const { problems, warnings } = await validateWorkflow(chain(200, expression), findNodeType);
    expect(problems).toEqual([]);
    expect(warnings.map(({ message }) => message)).toEqual(['the input has no "wrong", but "a"']);
  });

  test('nothing is claimed of a type that has grown beyond the limit', async () => {
    const file = chain(60, '{"x": $, "y": $}', true);
    expect(await validateWorkflow(file, findNodeType)).toMatchObject({ problems: [], warnings: [] });
  });

  test('nothing is claimed of nodes that stand far behind the one that reads them', async () => {
    const { nodes, ...others } = chain(1_000, 'a');
    const file = { ...others, nodes: nodes.toReversed() };
    const { problems, warnings } = await validateWorkflow(file, findNodeType);
    expect(problems).toEqual([]);
    expect(warnings).toHaveLength(1);
  });

  test('many connections to one node are not merged', async () => {
    const many = Array.from({ length: 60 }, (_, at) => set(`n${at}`, { [`f${at}`]: 1 }));
    const join = (nodes: readonly ANode[]) => ({
      ...aChain(),
      nodes: [
        { id: 'start', type: 'webhookTrigger', parameters: request },
        ...nodes,
        set('end', { x: '{{ wrong }}' }),
      ],
      connections: nodes.flatMap(({ id }) => [
        { sourceNodeId: 'start', targetNodeId: id },
        { sourceNodeId: id, targetNodeId: 'end' },
      ]),
    });
    const warningsOf = async (nodes: readonly ANode[]) =>
      (await validateWorkflow(join(nodes), findNodeType)).warnings;
    expect(await warningsOf(many.slice(0, 50))).toHaveLength(1);
    expect(await warningsOf(many)).toEqual([]);
  });
});

describe('a path over a list', () => {
  const sort = { id: 'sort', type: 'sort', parameters: { items: '{{ body.lines }}' } };
  const listAlways = (text: string) =>
    `warning: is a list for several items, the item itself for one, and nothing for none; to always get a list, write "${text}"`;

  test.each([
    ['items.id', '{{ [items.id] }}'],
    ['items[total > 100]', '{{ [items[total > 100]] }}'],
    ['items[isNew = true].id', '{{ [items[isNew = true].id] }}'],
    ['$nodes.sort.items.id', '{{ [$nodes.sort.items.id] }}'],
    ['{"ids": items.id}', '[items.id]'],
    ['$exists($trigger.body.a) ? 0 : items.id', '[items.id]'],
  ])('%s in a value is a warning', async (text, written) => {
    expect(await check(sort, set('b', { x: `{{ ${text} }}` }))).toEqual([listAlways(written)]);
  });

  test('is a warning in the body of a request and among the values of SQL', async () => {
    const call = {
      id: 'call',
      type: 'httpRequest',
      parameters: { url: 'https://a.example/', method: 'POST' },
    };
    const parameters = { ...call.parameters, body: { ids: '{{ items.id }}' } };
    expect(await check(sort, { ...call, parameters })).toEqual([listAlways('{{ [items.id] }}')]);
    const sql = { query: 'SELECT 1 WHERE 1 = ANY($1)', values: ['{{ items.id }}'], via: 'rdsData' };
    expect(await check(sort, { id: 'sql', type: 'postgres', parameters: sql })).toContain(
      listAlways('{{ [items.id] }}'),
    );
  });

  test.each([
    'items',
    '[items.id]',
    'items[0].id',
    'items[-1]',
    'items[id = $trigger.body.id].name',
    '$count(items.id)',
    '$join(items.name, ", ")',
    '$map(items, function($item) { $item.id })',
    'items.id[]',
  ])('%s gets no warning', async (text) => {
    expect(await check(sort, set('b', { x: `{{ ${text} }}` }))).toEqual([]);
  });

  test('gets no warning where the parameter is a list, or within a text', async () => {
    const batch = { id: 'batch', type: 'batch', parameters: { items: '{{ items.id }}', size: 2 } };
    expect(await check(sort, batch)).toEqual([]);
    expect(await check(sort, set('b', { x: 'ids: {{ items.id }}' }))).toEqual([]);
  });

  test('compared with one value is a warning', async () => {
    expect(await checkExpression('body.lines.sku = "a"')).toEqual([
      'warning: compares a list with "a"; did you mean ""a" in body.lines.sku"?',
    ]);
  });
});

describe('a comparison', () => {
  test.each([
    ['body.total = "100"', 'a number with the string "100"', 'body.total = 100'],
    ['100 != queryParams.page', 'a string with the number 100', '$number(queryParams.page) != 100'],
    ['pathParams.id = 7', 'a string with the number 7', '$number(pathParams.id) = 7'],
    ['body.total = "many"', 'a number with the string "many"', null],
    ['body.name = true', 'a string with the boolean true', null],
  ])('%s of different types is a warning', async (text, message, meant) => {
    const hint = meant === null ? '' : `; did you mean "${meant}"?`;
    expect(await checkExpression(text)).toEqual([
      `warning: compares ${message}: they are never equal${hint}`,
    ]);
  });

  test.each(['body.total = 100', 'body.name = "100"', 'body.other = "100"', 'queryParams.page = "1"'])(
    '%s gets no warning',
    async (text) => {
      expect(await checkExpression(text)).toEqual([]);
    },
  );

  test.each(['body.other = null', 'null != body.other', '$type(body.other) = "null"', 'body.lines.x = null'])(
    '%s counts on null, which only data can be',
    async (text) => {
      expect(await checkExpression(text)).toEqual([
        'warning: compares with null, which matches only an explicit null: a missing field has no value at all; to test whether a field exists, write $exists( )',
      ]);
    },
  );
});

describe('a date picture', () => {
  test.each([
    [
      '$now("YYYY-MM-DD")',
      '"YYYY-MM-DD" is not a date picture: its parts are written in brackets; did you mean "[Y0001]-[M01]-[D01]"?',
    ],
    [
      '$fromMillis(0, "%Y")',
      '"%Y" is not a date picture: its parts are written in brackets; did you mean "[Y0001]"?',
    ],
    [
      '$toMillis(body.at, "date")',
      '"date" is not a date picture: its parts are written in brackets, as in "[Y0001]-[M01]-[D01]"',
    ],
  ])('%s is an error', async (text, message) => {
    expect(await checkExpression(text)).toEqual([`error: ${message}`]);
  });

  test('is checked in a webhook too, against the headers of its requests', async () => {
    const { problems } = await validateWorkflow(
      {
        ...aChain(set('a', {})),
        nodes: [
          {
            id: 'start',
            type: 'webhookTrigger',
            parameters: { deduplication: 'headers.X-Id', onlyIf: '$now("YYYY") = "2026"' },
          },
          set('a', {}),
        ],
      },
      findNodeType,
    );
    expect(problems.map(({ path }) => path)).toEqual([
      '/nodes/0/parameters/deduplication',
      '/nodes/0/parameters/onlyIf',
    ]);
  });
});

test.each(sampleNames)('the sample %s has no warnings about expressions', async (name) => {
  const { problems, warnings } = await validateWorkflow(readSample(name), findNodeType);
  expect({ problems, warnings }).toEqual({ problems: [], warnings: [] });
});
