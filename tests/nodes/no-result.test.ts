import type { HttpClient, JsonObject, JsonValue, PluginHandle } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { forEach, subworkflow } from '../../nodes/control/control.plugin.ts';
import { pick } from '../../nodes/data/fields.ts';
import { aggregate, limit, removeDuplicates, sort, splitOut } from '../../nodes/data/lists.ts';
import { filter, ifNode, set, switchNode } from '../../nodes/flow/flow-nodes.ts';
import { csv } from '../../nodes/formats/csv.ts';
import { validate } from '../../nodes/formats/validate.ts';
import { httpRequest } from '../../nodes/http-request/http-request.plugin.ts';
import { rss } from '../../nodes/rss/rss.plugin.ts';
import { respondToWebhook } from '../../nodes/webhook/respond-to-webhook.ts';
import { type ANode, ran, runGraph } from '../support/a-run.ts';
import { runNodeType, runToMain } from '../support/run-node-type.ts';

const aNode = ({ execute, schema, pure = false, control }: PluginHandle, parameters: JsonObject): ANode => ({
  does: execute,
  schema,
  pure: pure === true,
  parameters,
  ...(control === undefined ? {} : { control }),
});

describe('a feed whose new items are passed on', () => {
  const entry = (id: number) =>
    `<item><title>${id}</title><guid>g-${id}</guid><pubDate>Mon, 05 Jan 2026 10:00:0${id} GMT</pubDate></item>`;

  /** Runs the workflow, and gives the bodies of the calls. */
  const runFeed = async (count: number, news: JsonObject) => {
    const bodies: JsonValue[] = [];
    const client: HttpClient = {
      request: async ({ url, body }) => {
        bodies.push(JSON.parse(String(body)));
        return { status: 200, headers: {}, body: Buffer.from('{}'), stream: null, url };
      },
    };
    const { execute } = httpRequest;
    const text = `<rss version="2.0"><channel>${[1, 2, 3].map(entry).join('')}</channel></rss>`;
    const { nodes, failure } = await runGraph({
      nodes: {
        feed: aNode(rss, { text: '{{ text }}' }),
        once: aNode(removeDuplicates, { items: '{{ items }}', fields: ['id'] }),
        news: aNode(set, { values: news }),
        any: aNode(ifNode, { condition: '{{ $count(new) > 0 }}' }),
        call: {
          pure: false,
          does: execute,
          parameters: {
            url: 'https://chat.example/',
            method: 'POST',
            body: { text: '{{ $count(new) }} new' },
          },
        },
      },
      edges: ['start -> feed', 'feed -> once', 'once -> news', 'news -> any', 'any.true -> call'],
      input: { text, since: `2026-01-05T10:00:0${3 - count}.000Z` },
      ports: {
        services: {
          clock: { now: () => 0, sleep: () => new Promise(() => {}) },
          ids: { next: () => 'id' },
          http: client,
        },
      },
    });
    expect(failure).toBeNull();
    return { bodies, ran: ran({ nodes }) };
  };

  test.each([0, 1, 3])('makes one call for %d of them, and none without any', async (count) => {
    for (const path of ['items[published > $trigger.since]', 'items[published > $trigger.since].title']) {
      const { bodies, ran } = await runFeed(count, { new: `{{ ${path} }}` });
      expect(bodies).toEqual(count === 0 ? [] : [{ text: `${count} new` }]);
      expect(ran).toBe(`start feed once news any${count === 0 ? '' : ' call'}`);
    }
  });
});

describe('a node that works on a list', () => {
  const items: readonly JsonObject[] = [
    { id: 1, tags: ['a'] },
    { id: 2, tags: ['b', 'c'] },
  ];

  test.each<[string, PluginHandle, JsonObject, (found: readonly JsonObject[]) => JsonObject]>([
    [
      'splitOut',
      splitOut,
      { field: 'tags' },
      (found) => ({ items: found.flatMap(({ tags }) => tags ?? []) }),
    ],
    ['sort', sort, {}, (found) => ({ items: found })],
    ['limit', limit, { count: 5 }, (found) => ({ items: found })],
    ['pick', pick, { fields: ['id'] }, (found) => ({ items: found.map(({ id = 0 }) => ({ id })) })],
    ['removeDuplicates', removeDuplicates, {}, (found) => ({ items: found, removed: 0 })],
    ['aggregate', aggregate, { fields: { ids: 'id' } }, (found) => ({ ids: found.map(({ id = 0 }) => id) })],
  ])('%s works with 0, 1 and 2 items', async (_name, handle, parameters, toOutput) => {
    for (const count of [0, 1, 2]) {
      const output = await runToMain(
        handle,
        { items: `{{ items[id <= ${count}] }}`, ...parameters },
        { items },
      );
      expect(output).toEqual(toOutput(items.slice(0, count)));
    }
  });

  test('forEach runs its body for 0, 1 and 2 items', async () => {
    for (const count of [0, 1, 2]) {
      const { output } = await runGraph({
        nodes: { each: aNode(forEach, { items: `{{ items[id <= ${count}] }}` }), body: {} },
        edges: ['start -> each', 'each.each -> body'],
        input: { items },
      });
      expect(output).toMatchObject({
        failures: [],
        results: items.slice(0, count).map((item) => ({ item })),
      });
    }
  });
});

describe('an expression without a result', () => {
  test.each([
    ['if', ifNode],
    ['filter', filter],
  ])('as the condition of %s fails it', async (_name, handle) => {
    expect(await runNodeType(handle, { condition: '{{ total > 100 }}' })).toEqual({
      failure: {
        name: 'ExpressionError',
        message: 'Parameter "condition" is required, but {{ total > 100 }} has no result',
      },
    });
  });

  test('equals no case of switch', async () => {
    const cases = [{ equals: null, output: 'none' }];
    expect(await runNodeType(switchNode, { value: '{{ kind }}', cases }, { a: 1 })).toEqual({
      outputs: { default: { a: 1 } },
    });
    expect(await runNodeType(switchNode, { value: '{{ kind }}', cases }, { kind: null })).toEqual({
      outputs: { none: { kind: null } },
    });
  });

  test('is not a valid value', async () => {
    const message = 'There is no value, because its expression has no result.';
    expect(await runNodeType(validate, { value: '{{ body }}', schema: {} })).toEqual({
      outputs: { invalid: { errors: [{ place: '', keyword: 'required', message }] } },
    });
  });

  test('yields the default of its parameter', async () => {
    const parameters = { values: { a: 1 }, keepInput: '{{ keep }}' };
    expect(await runToMain(set, parameters, { b: 2 })).toEqual({ a: 1 });
  });

  test('never answers a caller with the input of the node', async () => {
    const secret = { cookie: 'secret' };
    expect(await runNodeType(respondToWebhook, { body: '{{ found }}' }, secret)).toEqual({
      outputs: { main: secret, response: { status: 200, headers: {}, body: null } },
    });
    expect(await runNodeType(respondToWebhook, { redirect: '{{ found }}' }, secret)).toMatchObject({
      failure: { message: 'Parameter "redirect" must be an encoded path, or an http or https URL' },
    });
  });

  test('starts a subworkflow with an empty input, not with the input of the node', async () => {
    const asked: JsonObject[] = [];
    const { outputs } = await runSubworkflow({ workflowId: 'other', input: '{{ order }}' }, asked);
    expect(asked).toEqual([{}]);
    expect(outputs).toEqual({ main: {} });
  });

  test('keeps its place in a row of values', async () => {
    const items = [['{{ a }}', '{{ b }}', 'c']];
    expect(await runToMain(csv, { operation: 'write', items, header: false }, { b: 2 })).toEqual({
      text: ',2,c\n',
    });
  });
});

const runSubworkflow = async (parameters: JsonObject, asked: JsonObject[]) => {
  const { nodes } = await runGraph({
    nodes: {
      call: {
        ...aNode(subworkflow, parameters),
        does: (node, input, context) =>
          subworkflow.execute(node, input, {
            ...context,
            control: {
              ...(context.control as NonNullable<typeof context.control>),
              runWorkflow: async (_id, given) => {
                asked.push(given);
                return { output: given };
              },
            },
          }),
      },
    },
    edges: ['start -> call'],
    input: { secret: 1 },
  });
  return { outputs: nodes.find(({ nodeId }) => nodeId === 'call')?.outputs };
};
