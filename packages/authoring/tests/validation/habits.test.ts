import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { loadNodeTypes } from '../../../cli/plugins/node-types.ts';
import { validateWorkflow } from '../../validation/validate.ts';

// Habits of other tools and languages, and values that are the same for all: each is reported before a run.

let findNodeType: FindNodeType;
beforeAll(async () => {
  findNodeType = await loadNodeTypes();
});

const workflow = (start: JsonObject, it: JsonObject, sourceOutput?: string): JsonObject => ({
  ...{ format: 2, id: 'shop', name: 'Shop' },
  nodes: [{ id: 'start', ...start }, { id: 'it', ...it }, ...(sourceOutput ? [{ id: 'yes', ...noOp }] : [])],
  connections: [
    { sourceNodeId: 'start', targetNodeId: 'it' },
    ...(sourceOutput ? [{ sourceNodeId: 'it', sourceOutput, targetNodeId: 'yes' }] : []),
  ],
});
const noOp: JsonObject = { type: 'noOp', parameters: {} };

const node = (type: string, parameters: JsonObject) => {
  const responseMode = type === 'respondToWebhook' ? 'responseNode' : 'onReceived';
  const nodeType = findNodeType(type);
  const credential = (nodeType?.credentialTypes ?? []).length > 0 ? { credentialId: 'key' } : {};
  const sourceOutput = type === 'state' && parameters.operation === 'once' ? { sourceOutput: 'true' } : {};
  return workflow(
    { type: 'webhookTrigger', parameters: { responseMode } },
    { type, parameters, ...credential },
    sourceOutput.sourceOutput,
  );
};
const trigger = (type: string, parameters: JsonObject) => workflow({ type, parameters }, noOp);
const hook = (parameters: JsonObject) => trigger('webhookTrigger', parameters);
const set = (text: JsonValue) => node('set', { values: { a: text } });
/** The body has a text, a list and a flag. */
const typed = (text: string) =>
  workflow(
    {
      type: 'webhookTrigger',
      parameters: {
        schema: {
          type: 'object',
          properties: { name: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
        },
      },
    },
    { type: 'set', parameters: { values: { a: `{{ ${text} }}` } } },
  );
const call = (parameters: JsonObject) =>
  node('httpRequest', { url: 'https://api.example.com/x', ...parameters });
const answer = (parameters: JsonObject) => node('respondToWebhook', parameters);
const cookie = (parameters: JsonObject) => answer({ cookies: [{ name: 'a', value: 'x', ...parameters }] });
const mail = (parameters: JsonObject) =>
  node('email', {
    ...{ from: 'a@example.com', to: ['b@example.com'], subject: 'Hi', text: 'x' },
    ...parameters,
  });
const aws = (service: string, operation: string, input: JsonObject) =>
  node('aws', { service, operation, input });
const send = (input: JsonObject) => aws('sqs', 'SendMessage', { QueueUrl: 'q', MessageBody: 'm', ...input });
const sql = (query: string, values: JsonValue = []) => node('postgres', { query, values });
const rate = (by: string) => hook({ rateLimit: { requests: 5, seconds: 60, per: 'caller', by } });
const schema = (parameters: JsonObject) =>
  hook({ schema: { type: 'object', properties: { a: parameters } } });
const once = (key: string) => node('state', { operation: 'once', key });
const graphql = (query: string) => node('graphql', { url: 'https://api.example.com/g', query });
const select = (selector: string) => node('html', { html: '{{ body.page }}', values: { a: { selector } } });

const problemsOf = async (file: JsonValue) => {
  const { problems, warnings } = await validateWorkflow(JSON.parse(JSON.stringify(file)), findNodeType);
  return [...problems, ...warnings];
};

const IT = '/nodes/1/parameters';
const VALUE = `${IT}/values/a`;
const START = '/nodes/0/parameters';

/** Files are made when node types are known. */
type Row = readonly [mistake: string, file: () => JsonValue, path: string, says: string];

/** Expressions of a `set`. */
const expressions: readonly (readonly [expression: string, says: string])[] = [
  ['body.items.length', 'the number of items is $count(body.items)'],
  ['body.name.length > 5', 'of characters $length(body.name)'],
  ['body.items.map(function($x) { $x.a })', 'did you mean "$map"?'],
  ['body.items[*].name', 'of all items, it is body.items.name'],
  ['body.list[index]', 'one item is [0]'],
  ['body.list[i].name', 'have a field of this name'],
  ['"body.a" ? 1 : 2', 'did you mean "body.a"?'],
  ['"yes" ? 1 : 2', 'asks "yes", which is always true'],
  ['"body.a" and body.b', 'did you mean "body.a"?'],
  ['null ?? 1', '"?:" takes it for null'],
  ['1 < body.a < 5', 'join two comparisons with "and"'],
  ['body.a?.b', 'a path needs no ?.'],
  ['typeof body.a', 'the type of a value is $type( )'],
  ['not body.a', '"not" is written $not( )'],
  ['body.a AND body.b', 'written in small letters'],
  ['body.a <> 1', '"differs" is written !='],
  ['body.a is null', 'whether a value is there is $exists( )'],
  ['body.a like "x%"', '$contains(text, /pattern/)'],
  ['{...body, "a": 1}', '$merge([a, b])'],
  ['if (body.a) 1 else 2', 'condition ? a : b'],
  ['const x = 1', '($x := 1; $x + 1)'],
  ['new Date()', '$now()'],
  ['body.name | upper', '~>'],
  ['body.a != undefined', 'undefined is the name of a field here'],
  ['body.a = None', 'it is null'],
  ['body.a = True', 'it is written true'],
  ['$millis() + 3600', 'write 3600000 for 3600 seconds'],
  ['$toMillis(body.at) - 24 * 3600', 'in milliseconds'],
  ['$fromMillis($millis() / 1000)', 'takes milliseconds'],
  ['$now("[h]:[m01]")', '[H01] is the hour of the day'],
  ['$contains(body.a, "^abc")', 'a pattern is written without quotes, /^abc/'],
  ["$replace(body.a, '[^0-9]', '')", '/[^0-9]/'],
  ['$max(body.a, body.b)', 'takes at most one value, as a list: $max([…, …])'],
  ['$merge(body.a, body.b)', '$merge([…, …])'],
  ['$append(body.a, body.b, body.c)', 'takes at most 2 values'],
  ['$sort(body.a, "price")', 'takes a function here'],
  ['$match(body.a, "[0-9]+")', 'a pattern such as /[0-9]+/'],
  ['$split(",", body.a)', 'did you mean "$split(body.a, ",")"?'],
  ['$formatNumber(body.a, "#.##0,00")', 'fails in every run'],
  ['$boolean(queryParams.debug)', 'also for "false"'],
  ['"{{ body.a }}"', 'within an expression is text'],
  ['"query { user(id: " & body.id & ") { name } }"', 'declare variables'],
];

const rows: Readonly<Record<string, readonly Row[]>> = {
  expressions: [
    ...expressions.map(
      ([expression, says]): Row => [expression, () => set(`{{ ${expression} }}`), VALUE, says],
    ),
    ['the length of a list', () => typed('$string(body.tags.length)'), VALUE, 'is $count(body.tags)'],
    ['a part of a text', () => typed('"@" in body.name'), VALUE, '$contains(body.name, "@")'],
    ['a path with =', () => set('=body.a'), VALUE, 'did you mean "{{ body.a }}"?'],
    ['a path with $', () => set('$body.a'), VALUE, 'did you mean "{{ body.a }}"?'],
    ['a call without braces', () => set('$now()'), VALUE, 'did you mean "{{ $now() }}"?'],
    ['a tag of ERB', () => set('Dear <%= body.name %>'), VALUE, 'did you mean "{{ body.name }}"?'],
    ['a key in braces', () => set({ '{{ body.a }}': 1 }), `${VALUE}/{{ body.a }}`, 'keeps its {{ }}'],
    [
      'an amount in cents',
      () => call({ method: 'POST', body: { amount: '{{ body.total * 100 }}' } }),
      `${IT}/body/amount`,
      '$round(body.total * 100)',
    ],
  ],
  keys: [
    [
      'a constant key',
      () => call({ headers: { 'Idempotency-Key': 'order' } }),
      `${IT}/headers`,
      '"idempotencyKey": true',
    ],
    [
      'a key of a variable',
      () => call({ headers: { 'idempotency-key': '{{ $vars.a }}' } }),
      `${IT}/headers`,
      'the same in every run',
    ],
    [
      'a constant message',
      () => send({ MessageDeduplicationId: 'a', MessageGroupId: '{{ body.a }}' }),
      `${IT}/input`,
      'for repetitions',
    ],
    [
      'a constant group',
      () => send({ MessageGroupId: 'orders' }),
      `${IT}/input/MessageGroupId`,
      'one after another',
    ],
    [
      'a constant token',
      () => aws('dynamodb', 'TransactWriteItems', { TransactItems: [], ClientRequestToken: 'a' }),
      `${IT}/input`,
      '$execution.id',
    ],
    ['a rate of all', () => rate('header:Host'), `${START}/rateLimit/by`, 'does not tell callers apart'],
    [
      'a rate of none',
      () => rate('header:x-request-id'),
      `${START}/rateLimit/by`,
      'no caller ever reaches the limit',
    ],
    [
      'a rate that callers choose',
      () => rate('header:x-forwarded-for'),
      `${START}/rateLimit/by`,
      '"ip" is the address',
    ],
    [
      'the method',
      () => hook({ deduplication: 'requestMethod & "-" & headers.host' }),
      `${START}/deduplication`,
      'have in common',
    ],
    [
      'the only path',
      () => hook({ deduplication: '$trigger.requestPath' }),
      `${START}/deduplication`,
      'have in common',
    ],
    ['a variable', () => hook({ deduplication: '$vars.a' }), `${START}/deduplication`, 'have in common'],
    [
      'the time of arrival',
      () => hook({ deduplication: 'triggeredAt' }),
      `${START}/deduplication`,
      "can't be recognised",
    ],
    [
      'true or false',
      () => hook({ deduplication: '$exists(body.id)' }),
      `${START}/deduplication`,
      'is a boolean',
    ],
    ['the workflow', () => once('{{ $execution.workflowId }}'), `${IT}/key`, 'the same in every run'],
    ['the execution', () => once('{{ $execution.id }}'), `${IT}/key`, 'another one in every run'],
    [
      'a filter that is a text',
      () => hook({ onlyIf: 'headers.`x-a`' }),
      `${START}/onlyIf`,
      'takes a boolean',
    ],
  ],
  requests: [
    [
      'an empty segment',
      () => call({ url: 'https://api.example.com//orders' }),
      `${IT}/url`,
      'empty segment',
    ],
    ['a fragment', () => call({ url: 'https://api.example.com/#/orders' }), `${IT}/url`, 'is never sent'],
    ['&amp;', () => call({ url: 'https://api.example.com/?a=1&amp;b=2' }), `${IT}/url`, 'in HTML alone'],
    [
      'no ?',
      () => call({ url: 'https://api.example.com/a&b={{ body.b }}' }),
      `${IT}/url`,
      'a query begins with "?"',
    ],
    ['two ?', () => call({ url: 'https://api.example.com/?a=1?b=2' }), `${IT}/url`, 'joined by "&"'],
    ['encoded twice', () => call({ url: 'https://api.example.com/a%2520b' }), `${IT}/url`, 'encoded twice'],
    [
      'a placeholder',
      () => call({ url: 'https://api.example.com/orders/:id' }),
      `${IT}/url`,
      '{{ body.id }}',
    ],
    ['one in braces', () => call({ url: 'https://api.example.com/{id}/a' }), `${IT}/url`, 'is sent as it is'],
    [
      'a parameter twice',
      () => call({ url: 'https://api.example.com/?a=1', query: { a: 2 } }),
      `${IT}/query/a`,
      'gets both',
    ],
    ['a page twice', () => call({ pagination: 'page', query: { page: 1 } }), `${IT}/query/page`, 'firstPage'],
    ['a name with ?', () => call({ query: { '?a': 1 } }), `${IT}/query/?a`, 'is a name'],
    [
      'a misspelt header',
      () => call({ headers: { Authorisation: '{{ body.a }}' } }),
      `${IT}/headers`,
      'did you mean "authorization"?',
    ],
    [
      'an underscore',
      () => call({ headers: { Content_Type: 'text/plain' } }),
      `${IT}/headers`,
      'did you mean "content-type"?',
    ],
    ['a swap', () => call({ headers: { Acecpt: 'text/plain' } }), `${IT}/headers`, 'did you mean "accept"?'],
    [
      'the host',
      () => call({ headers: { Host: 'a.example' } }),
      `${IT}/headers/Host`,
      'follows from the URL',
    ],
    ['a length', () => call({ headers: { 'Content-Length': '5' } }), `${IT}/headers`, "can't be chosen"],
    [
      'a form as text',
      () => call({ method: 'POST', bodyType: 'form', body: 'a=1' }),
      `${IT}/body`,
      'a map of fields',
    ],
    [
      'a map as text',
      () => call({ method: 'POST', bodyType: 'text', body: { a: 1 } }),
      `${IT}/body`,
      'must be a text',
    ],
    [
      'braces in GraphQL',
      () => graphql('{ user(id: "{{ body.id }}") { name } }'),
      `${IT}/query`,
      'declare a variable',
    ],
    [
      'GraphQL in a body',
      () => call({ method: 'POST', body: { query: 'query { user(id: "{{ body.id }}") { name } }' } }),
      `${IT}/body/query`,
      'declare variables',
    ],
    [
      'a token in an expression',
      () => call({ headers: { authorization: '{{ "Bearer abc123def456" }}' } }),
      `${IT}/headers`,
      'holds a secret',
    ],
    [
      'a token in a URL',
      () => call({ url: 'https://api.example.com/?token=abc123def456' }),
      `${IT}/url`,
      'holds a secret',
    ],
    ['a selector that ends early', () => select('div['), `${VALUE}/selector`, 'is not a CSS selector'],
    ['XPath', () => select('//div/a'), `${VALUE}/selector`, 'XPath'],
    ['a selector of jQuery', () => select('li:eq(2)'), `${VALUE}/selector`, ':nth-of-type(n)'],
    [
      'NOT IN',
      () => sql('SELECT 1 FROM a WHERE id NOT IN ($1)', ['{{ body.ids }}']),
      `${IT}/query`,
      '"<> ALL($1)"',
    ],
    ['= NULL', () => sql('SELECT 1 FROM a WHERE b = NULL'), `${IT}/query`, 'IS NULL'],
    ['LIMIT of MySQL', () => sql('SELECT 1 FROM a LIMIT 10, 5'), `${IT}/query`, 'LIMIT b OFFSET a'],
    ['JSON as a message', () => send({ MessageBody: { a: 1 } }), `${IT}/input/MessageBody`, '$string('],
    [
      'a bucket as a URL',
      () => aws('s3', 'GetObject', { Bucket: 's3://b', Key: 'k' }),
      `${IT}/input/Bucket`,
      'name of the bucket',
    ],
    [
      'a key with a slash',
      () => aws('s3', 'GetObject', { Bucket: 'b', Key: '/k' }),
      `${IT}/input/Key`,
      'begins with "/"',
    ],
    [
      'a plain item',
      () => aws('dynamodb', 'PutItem', { TableName: 't', Item: { id: 'a' } }),
      `${IT}/input/Item/id`,
      '{ "S":',
    ],
    [
      'a number of an item',
      () => aws('dynamodb', 'PutItem', { TableName: 't', Item: { n: { N: 5 } } }),
      `${IT}/input/Item/n/N`,
      'must be a text',
    ],
    ['milliseconds', () => node('wait', { seconds: 3_600_000 }), `${IT}/seconds`, 'did you mean "3600"?'],
    [
      'Markdown',
      () => node('slackMessage', { channel: 'C1', text: '**Hi**' }),
      `${IT}/text`,
      'bold is written *text*',
    ],
    [
      'a link of Markdown',
      () => node('slackWebhook', { text: '[a](https://a.example)' }),
      `${IT}/text`,
      '<https://',
    ],
  ],
  answers: [
    ['a blank', () => cookie({ name: 'a b' }), `${IT}/cookies/0/name`, 'is not a name'],
    ['=', () => cookie({ name: 'a=b' }), `${IT}/cookies/0/name`, 'is not a name'],
    [';', () => cookie({ name: 'a;b' }), `${IT}/cookies/0/name`, 'is not a name'],
    [',', () => cookie({ name: 'a,b' }), `${IT}/cookies/0/name`, 'is not a name'],
    ['a value with a blank', () => cookie({ value: 'a b' }), `${IT}/cookies/0/value`, 'encode it'],
    ['a path with ;', () => cookie({ path: '/a;b' }), `${IT}/cookies/0/path`, "can't contain"],
    ['a path without /', () => cookie({ path: 'a' }), `${IT}/cookies/0/path`, 'begin with "/"'],
    [
      'a URL as domain',
      () => cookie({ domain: 'https://a.example' }),
      `${IT}/cookies/0/domain`,
      'name of a host',
    ],
    [
      'None without secure',
      () => cookie({ sameSite: 'None', secure: false }),
      `${IT}/cookies/0/secure`,
      'must be true',
    ],
    [
      '__Host- with a domain',
      () => cookie({ name: '__Host-a', path: '/', domain: 'a.example' }),
      `${IT}/cookies/0/domain`,
      'refuse the cookie',
    ],
    [
      '__Host- without a path',
      () => cookie({ name: '__Host-a' }),
      `${IT}/cookies/0/name`,
      'needs "path": "/"',
    ],
    [
      '__Secure- without secure',
      () => cookie({ name: '__Secure-a', secure: false }),
      `${IT}/cookies/0/secure`,
      'refuse the cookie',
    ],
    ['an answer of Lambda', () => answer({ body: { statusCode: 404, body: 'x' } }), `${IT}/body`, '"status"'],
    [
      'HTML as text',
      () => answer({ body: '<html><body>{{ body.a }}</body></html>' }),
      `${IT}/body`,
      'text/html',
    ],
    [
      'HTML at once',
      () => hook({ answer: { body: '<h1>Thanks</h1>' } }),
      `${START}/answer/body`,
      'text/html',
    ],
    [
      'a redirect without a scheme',
      () => answer({ redirect: 'shop.example/thanks' }),
      `${IT}/redirect`,
      '"https://shop.example/thanks"',
    ],
    ['a redirect with 201', () => answer({ redirect: '/a', status: 201 }), `${IT}/status`, 'with a redirect'],
    [
      'Subject',
      () => mail({ headers: { Subject: 'x' } }),
      `${IT}/headers/Subject`,
      'the parameter "subject"',
    ],
    ['bcc', () => mail({ headers: { bcc: 'x@example.com' } }), `${IT}/headers/bcc`, 'the parameter "bcc"'],
    [
      'From',
      () => mail({ headers: { From: 'x@example.com' } }),
      `${IT}/headers/From`,
      'the parameter "from"',
    ],
    [
      'Reply-To',
      () => mail({ headers: { 'Reply-To': 'x@example.com' } }),
      `${IT}/headers/Reply-To`,
      '"replyTo"',
    ],
    [
      'Content-Type',
      () => mail({ headers: { 'Content-Type': 'text/html' } }),
      `${IT}/headers`,
      '"text" or "html"',
    ],
    ['Message-ID', () => mail({ headers: { 'Message-ID': '<a@b>' } }), `${IT}/headers`, 'set by the service'],
    ['two lines', () => mail({ subject: 'a\nb' }), `${IT}/subject`, 'must be one line'],
  ],
  schemas: [
    [
      'limits that exclude all',
      () => schema({ type: 'number', minimum: 5, maximum: 1 }),
      START,
      'no value is valid',
    ],
    [
      'choices of another type',
      () => schema({ type: 'number', enum: ['1'] }),
      START,
      'not of the type number',
    ],
    [
      'a constant of another type',
      () => schema({ type: 'boolean', const: 'true' }),
      START,
      'not of the type boolean',
    ],
    [
      'a default of another type',
      () => schema({ type: 'number', default: 'x' }),
      START,
      'not of the type number',
    ],
    ['slashes', () => schema({ type: 'string', pattern: '/^a$/' }), START, 'without them'],
    [
      'what is required and not allowed',
      () =>
        hook({
          schema: { type: 'object', required: ['zz'], properties: { a: {} }, additionalProperties: false },
        }),
      START,
      'no property of that name',
    ],
    [
      'each minute of an hour',
      () => trigger('scheduleTrigger', { cron: '* 9 * * *' }),
      `${START}/cron`,
      'every minute from 9:00',
    ],
    [
      'days from Sunday',
      () => trigger('scheduleTrigger', { cron: '0 9 ? * 1-5 *' }),
      `${START}/cron`,
      'MON-FRI',
    ],
  ],
};

describe.each(Object.entries(rows))('of %s', (_kind, mistakes) => {
  test.each(mistakes)('tells of %s', async (_mistake, file, path, says) => {
    const found = await problemsOf(file());
    expect(found).toContainEqual(
      expect.objectContaining({
        path: expect.stringMatching(startsWith(path)),
        message: expect.stringContaining(says),
      }),
    );
    expect(found).toHaveLength(1);
  });
});

const startsWith = (path: string) => new RegExp(`^${path.replaceAll(/[{}?.]/g, '\\$&')}`);

test.each([
  ['"order"', undefined],
  ['$now()', 'warning'],
  ['$vars.a', 'warning'],
])('a deduplication by %s has the severity %j', async (deduplication, severity) => {
  const found = await problemsOf(hook({ deduplication }));
  expect(found.map((problem) => problem.severity)).toEqual([severity]);
});

describe('says nothing of', () => {
  test.each<[string, () => JsonValue]>([
    ['a text that begins with query', () => set('query: {{ body.q }} {')],
    ['a function of its own', () => set('{{ ($sum := function($a, $b) { $a + $b }; $sum(1, body.b)) }}')],
    ['lengths that data has', () => set('{{ body.dimensions.length * $sum(body.parcels.length) }}')],
    ['a flag of each item', () => set('{{ body.list[paid] }}')],
    ['items by their number', () => set('{{ body.list[0] & body.list[-1] & body.list[index = 3].a }}')],
    ['null in place of nothing', () => set('{{ body.a ?? null }}')],
    ['milliseconds', () => set('{{ $millis() + 3600000 }}')],
    [
      'texts with few signs',
      () => set('{{ $split(body.a, ".") & $contains(body.a, "[x]") & $replace(body.a, "+", "") }}'),
    ],
    ['a path of Windows', () => set('{{ $contains(body.a, "C:\\\\dir") }}')],
    ['an item of a list', () => set('{{ "admin" in body.roles }}')],
    ['am and pm', () => set('{{ $now("[h]:[m01] [P]") }}')],
    ['pictures of numbers', () => set('{{ $formatNumber(body.a, "#,##0.00;(#,##0.00)") }}')],
    ['a price', () => set('$5.00 (incl. $sum)')],
    [
      'an amount that is rounded',
      () => call({ method: 'POST', body: { amount: '{{ $round(body.total * 100) }}' } }),
    ],
    ['a key of the order', () => call({ headers: { 'Idempotency-Key': 'order-{{ body.id }}' } })],
    ['a key of the execution', () => call({ headers: { 'Idempotency-Key': '{{ $execution.id }}' } })],
    ['a method with an id', () => hook({ deduplication: 'requestMethod & body.id' })],
    ['the whole request', () => hook({ deduplication: 'requestMethod & $string($)' })],
    ['a path with parameters', () => hook({ path: '/o/:id', deduplication: 'requestPath' })],
    ['a key of the day and the stage', () => once('{{ $now("[Y0001]-[M01]-[D01]") & $vars.a }}')],
    ['a header of tenants', () => rate('header:x-tenant')],
    [
      'other headers',
      () => call({ headers: { 'If-Unmodified-Since': 'x', 'Access-Token': '{{ body.a }}', Range: 'x' } }),
    ],
    ['an address in a path', () => call({ url: 'https://web.archive.org/web/2020/https://x.example/a' })],
    ['a method in a path', () => call({ url: 'https://g.example.com/v1/models/gemini-pro:generate' })],
    [
      'a token of the data',
      () => call({ method: 'POST', body: { token: '{{ body.tokens.a1 }}', key: 'orders2024' } }),
    ],
    ['a query of GraphQL', () => graphql('query ($id: ID!) { user(id: $id) { a { b { c } } } }')],
    ['a selector', () => select('ul > li:nth-child(2):not(.x), a[href^="http"]')],
    ['NULL that is set', () => sql('UPDATE a SET b = NULL WHERE c = $1', ['x'])],
    ['NULL in a text', () => sql("SELECT 1 FROM a WHERE b <> 'x = null'")],
    [
      'attributes',
      () => aws('dynamodb', 'PutItem', { TableName: 't', Item: { a: { S: 'a' }, b: '{{ body.b }}' } }),
    ],
    ['bytes', () => aws('lambda', 'Invoke', { FunctionName: 'f', Payload: { $base64: 'e30=' } })],
    ['cookies', () => cookie({ name: '__Host-sid', value: '{{ body.a }}', path: '/' })],
    ['a file beside the request', () => answer({ redirect: 'orders.json' })],
    ['other headers of a mail', () => mail({ headers: { 'List-Unsubscribe': '<mailto:a@b.example>' } })],
    [
      'mark-up of Slack',
      () => node('slackMessage', { channel: 'C1', text: '*Hi* <https://a.example|a> 2 ** 3' }),
    ],
    ['office hours', () => trigger('scheduleTrigger', { cron: '* 9-17 * * 1-5' })],
    ['the last days', () => trigger('scheduleTrigger', { cron: '0 9 31 * ? *' })],
    ['null as a default', () => schema({ type: ['string', 'null'], enum: ['a', null], default: null })],
  ])('%s', async (_what, file) => {
    expect(await problemsOf(file())).toEqual([]);
  });
});
