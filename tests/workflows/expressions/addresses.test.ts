import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import {
  compileParameters,
  findAddresses,
  type Rule,
} from '../../../lib/workflows/expressions/parameters.ts';
import { loadNodeTypes } from '../../../packages/cli/plugins/node-types.ts';
import { aScope } from '../../support/an-expression.ts';

const schema: JsonObject & Rule = {
  properties: {
    key: { type: 'string', holes: 'fail' },
    note: { type: 'string' },
    headers: { type: 'object', holes: 'fail' },
    to: { type: 'array', items: { type: 'string', holes: 'fail' } },
    input: { type: 'object', holes: ['Key'] },
    either: { anyOf: [{ type: 'string', holes: 'fail' }, { type: 'object' }] },
  },
};

const resolve = async (parameters: JsonObject, format: number, input: JsonObject = {}) =>
  compileParameters(parameters, { schema, format })?.(aScope({ input }));

describe('a text that addresses something', () => {
  test.each<[JsonObject, string]>([
    [{ key: 'order/{{ body.id }}' }, 'key'],
    [{ headers: { 'x-order': 'o-{{ body.id }}' } }, 'headers.x-order'],
    [{ to: ['Ann <{{ body.id }}>'] }, 'to.0'],
    [{ input: { Key: { id: { S: 'o-{{ body.id }}' } } } }, 'input.Key.id.S'],
    [{ either: 'a{{ body.id }}' }, 'either'],
  ])('fails the node in %j, with the expression that gives nothing', async (parameters, place) => {
    await expect(resolve(parameters, 2)).rejects.toThrow(
      `{{ body.id }} in "${place}" gives nothing: write {{ body.id ?? '' }} if it may be empty`,
    );
    await expect(resolve(parameters, 2, { body: { id: null } })).rejects.toThrow(
      `{{ body.id }} in "${place}" gives null: write {{ body.id ?: '' }} if it may be empty`,
    );
    expect(await resolve(parameters, 1)).toBeDefined();
    expect(await resolve(parameters, 2, { body: { id: 0 } })).toBeDefined();
  });

  test('may be empty where that is written', async () => {
    expect(await resolve({ key: "order/{{ body.id ?? '' }}" }, 2)).toEqual({ key: 'order/' });
  });

  test.each([
    '{{ "order/" & body.id }}',
    '{{ "order/" & $string(body.id) }}',
    '{{ $join(["order", body.id], "/") }}',
  ])('is left out if %s joins what is not there', async (key) => {
    expect(await resolve({ key, note: key }, 2)).not.toHaveProperty('key');
    expect(await resolve({ key: `a-${key}b` }, 2).catch(String)).toContain('gives nothing');
    expect(await resolve({ key }, 1)).toEqual({ key: expect.stringMatching(/^order/) });
    expect(await resolve({ key }, 2, { body: { id: 7 } }).catch(String)).toEqual(
      key.includes('$join') ? expect.stringContaining('$join') : { key: 'order/7' },
    );
  });

  test('is left out if it is one expression without a result', async () => {
    const parameters = {
      key: '{{ a }}',
      headers: { a: '{{ a }}', b: 'x' },
      to: ['{{ a }}', 'b@example.com'],
    };
    expect(await resolve(parameters, 2)).toEqual({ headers: { b: 'x' }, to: ['b@example.com'] });
  });
});

test('a text for people is empty there', async () => {
  const parameters = { note: 'Dear {{ name }}!', input: { Body: 'Dear {{ name }}!' } };
  expect(await resolve(parameters, 2)).toEqual({ note: 'Dear !', input: { Body: 'Dear !' } });
});

test.each<[string, JsonObject, readonly string[]]>([
  ['state', { operation: 'get', key: 'o/{{ x }}', prefix: 'p{{ x }}', value: 'v{{ x }}' }, ['key', 'prefix']],
  [
    'httpRequest',
    {
      url: 'https://a.example/{{ x }}',
      headers: { a: 'b{{ x }}' },
      query: { q: 'b{{ x }}' },
      body: 'b{{ x }}',
    },
    ['url', 'headers/a', 'query/q'],
  ],
  [
    'email',
    {
      ...{
        from: 'a{{ x }}@example.com',
        to: ['b{{ x }}'],
        cc: ['c{{ x }}'],
        bcc: ['d{{ x }}'],
        replyTo: ['e{{ x }}'],
      },
      ...{ subject: 's{{ x }}', text: 't{{ x }}', html: 'h{{ x }}', headers: { 'x-a': 'a{{ x }}' } },
    },
    ['from', 'to/0', 'cc/0', 'bcc/0', 'replyTo/0', 'headers/x-a'],
  ],
  ['slackMessage', { channel: 'C{{ x }}', text: 't{{ x }}', threadTs: '1{{ x }}' }, ['channel', 'threadTs']],
  [
    'githubPutFile',
    { repository: 'a/{{ x }}', path: 'b/{{ x }}', message: 'm{{ x }}' },
    ['repository', 'path'],
  ],
  [
    'aws',
    {
      fileName: 'f{{ x }}',
      input: {
        ...{
          Bucket: 'b{{ x }}',
          Key: 'k/{{ x }}',
          Body: 'b{{ x }}',
          QueueUrl: 'q{{ x }}',
          TopicArn: 't{{ x }}',
        },
        ...{ MessageBody: 'm{{ x }}', TableName: 't{{ x }}', Item: { a: { S: 's{{ x }}' } } },
      },
    },
    ['fileName', 'input/Bucket', 'input/Key', 'input/QueueUrl', 'input/TopicArn', 'input/TableName'],
  ],
  ['subworkflow', { workflowId: 'w-{{ x }}', input: { a: 'b{{ x }}' } }, ['workflowId']],
  ['csv', { name: '{{ x }}.csv', text: 't{{ x }}' }, ['name']],
  [
    'respondToWebhook',
    {
      headers: { a: 'b{{ x }}' },
      body: 'b{{ x }}',
      redirect: '/{{ x }}',
      cookies: [{ name: 'n', value: 'v{{ x }}' }],
    },
    ['headers/a', 'redirect', 'cookies/0/value'],
  ],
])('%s says which of its texts are addresses', async (nodeType, parameters: JsonObject, addresses) => {
  const { schema: declared } = (await loadNodeTypes())(nodeType) ?? {};
  const found = findAddresses(parameters as JsonValue, [declared as Rule]);
  expect(found.map(({ path }) => path.join('/')).sort()).toEqual([...addresses].sort());
});
