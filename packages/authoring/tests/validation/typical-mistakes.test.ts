import type { JsonValue } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../../../lib/adapters/runtime/system-clock.ts';
import { loadRegistry } from '../../../../lib/plugins/load-registry.ts';
import { installedPlugins } from '../../../../nodes/installed.ts';
import { silent } from '../../../../tests/support/a-run.ts';
import { anOrderWorkflow } from '../../../../tests/support/an-order-workflow.ts';
import { validateWorkflow } from '../../validation/validate.ts';

let findNodeType: FindNodeType;

beforeAll(async () => {
  ({ findNodeType } = await loadRegistry(installedPlugins, { logger: silent, clock: systemClock }));
});

/** What stands in the file instead, by its JSON pointer; `undefined` takes it away. */
type Changes = Readonly<Record<string, JsonValue | undefined>>;

/** The valid workflow, changed. */
const spoil = (changes: Changes): JsonValue => {
  const file = JSON.parse(JSON.stringify(anOrderWorkflow()));
  for (const [pointer, value] of Object.entries(changes)) {
    const keys = pointer.split('/').slice(1);
    const parent = keys.slice(0, -1).reduce((at, key) => at[key], file);
    parent[keys.at(-1) ?? ''] = value;
  }
  return JSON.parse(JSON.stringify(file));
};

const problemsOf = async (changes: Changes) =>
  (await validateWorkflow(spoil(changes), findNodeType)).problems;

test('the workflow that each mistake is applied to is valid', async () => {
  expect(await problemsOf({})).toEqual([]);
});

test('the body as received may be read where it is passed on, also to find deliveries', async () => {
  const read = { '/nodes/1/parameters/values': { text: '{{ rawBody & $trigger.rawBody }}' } };
  const deduplication = { '/nodes/0/parameters/deduplication': '$hash(rawBody, "SHA-256")' };
  const passOn = { '/nodes/0/parameters/body': { raw: true } };
  expect(await problemsOf({ ...passOn, ...read, ...deduplication })).toEqual([]);
  expect(await problemsOf(read)).not.toEqual([]);
  expect(await problemsOf({ ...read, '/nodes/0/parameters/body': { raw: false } })).not.toEqual([]);
});

test.each([
  '{{ $error("no") }}',
  '{{ body.total > 5 ? $assert(false, "no") : 1 }}',
  '{{ $uuid() }}',
  '{{ $uppercase("a") & $fromMillis(body.at, "[H01]", "Europe/Oslo") }}',
  '{{ $fromMillis(body.at, body.form, "Berlin") }}',
  '{{ body.items.($uppercase()) }}',
  '{{ ($uppercase := function($x) { $x }; $uppercase(5)) }}',
  '{{ body.total / 0 + 1 - -2 }}',
  '{{ $sum([1..1000000]) }}',
])('%s may succeed', async (text) => {
  expect(await problemsOf({ '/nodes/1/parameters/values': { text } })).toEqual([]);
});

test.each([
  '{% if a %}',
  '{% if a %}Hello{% endif %}',
  '{%- for order in orders -%}',
  '{% else %}',
  '{% endfor %}',
  '{% include "head.html" %}',
])('the tag %s of a template is text', async (text) => {
  expect(await problemsOf({ '/nodes/1/parameters/values': { text } })).toEqual([]);
});

const PICK = '/nodes/1/parameters';
const VALUE = `${PICK}/values/total`;
const CONDITION = '/nodes/2/parameters/condition';
const CALL = '/nodes/3';
const PAUSE = '/nodes/5/parameters';
const MODE = '/nodes/0/parameters/responseMode';

/** An expression in a node right behind the trigger. */
const expression = (text: string): Changes => ({ [VALUE]: text });

describe('is reported once, with its place and the probable intention', () => {
  test.each<[mistake: string, changes: Changes, path: string, message: string]>([
    // Connections
    [
      'an output in another case',
      { '/connections/2/sourceOutput': 'True' },
      '/connections/2/sourceOutput',
      '"big" has no output "True", but "true", "false"; did you mean "true"?',
    ],
    [
      'a branch without its output',
      { '/connections/2/sourceOutput': undefined },
      '/connections/2',
      '"big" has no output "main": set sourceOutput to one of: "true", "false"',
    ],
    [
      'an output of a node that has only one',
      { '/connections/1/sourceOutput': 'success' },
      '/connections/1/sourceOutput',
      '"pick" has no output "success", but "main"',
    ],
    [
      'an input by name, of a node that has none',
      { '/connections/1/targetInput': 'left' },
      '/connections/1/targetInput',
      '"big" has no named inputs: remove targetInput',
    ],
    [
      'the output error, of a node that does not route its failures',
      { [`${CALL}/settings/onError`]: undefined },
      '/connections/5/sourceOutput',
      '"call-shop" delivers on "error" only with "onError": "route" in its settings',
    ],
    [
      'the output response, to another node',
      { '/connections/9': { sourceNodeId: 'reply', sourceOutput: 'response', targetNodeId: 'small' } },
      '/connections/9/sourceOutput',
      '"response" answers the caller: nothing can connect from it',
    ],
    [
      'a target that is not there',
      { '/connections/2/targetNodeId': 'callShop' },
      '/connections/2/targetNodeId',
      'there is no node "callShop"; did you mean "call-shop"?',
    ],
    [
      'a source that is not there',
      { '/connections/1/sourceNodeId': 'pikc' },
      '/connections/1/sourceNodeId',
      'there is no node "pikc"; did you mean "pick"?',
    ],
    [
      'a connection twice',
      { '/connections/9': { sourceNodeId: 'request', targetNodeId: 'pick' } },
      '/connections/9',
      'duplicates /connections/0',
    ],
    [
      'a connection the wrong way round',
      { '/connections/0': { sourceNodeId: 'pick', targetNodeId: 'request' } },
      '/connections/0/targetNodeId',
      '"request" is a trigger: nothing can connect to it',
    ],
    [
      'a loop without an exit',
      { '/connections/9': { sourceNodeId: 'pick', targetNodeId: 'pick' } },
      '/connections/9',
      'closes a loop without an exit ("pick"): connect one output of a node such as "if" to a node outside the loop',
    ],
    [
      'a node that nothing leads to',
      { '/nodes/9': { id: 'lost', type: 'set', parameters: { values: {} } } },
      '/nodes/9',
      'no trigger leads to "lost": connect it, or disable it to keep it for later',
    ],
    [
      'connections as n8n writes them',
      { '/connections': { request: { main: [[{ node: 'pick', type: 'main', index: 0 }]] } } },
      '/connections',
      'must be array (a list of { "sourceNodeId": …, "targetNodeId": … })',
    ],

    // Expressions
    [
      '$json',
      expression('{{ $json.body.total }}'),
      VALUE,
      'there is no $json: input fields are plain names; did you mean "body.total"?',
    ],
    [
      '$input',
      expression('{{ $input.first().json.body.total }}'),
      VALUE,
      'there is no $input: input fields are plain names, and the whole of it is $; did you mean "body.total"?',
    ],
    [
      'a variable with a letter missing',
      expression('{{ $triger.body.total }}'),
      VALUE,
      'there is no $triger; did you mean "$trigger.body.total"?',
    ],
    [
      'a node that is not there, in an expression',
      expression('{{ $nodes.calshop.total }}'),
      VALUE,
      'there is no node "calshop"; did you mean "$nodes.`call-shop`.total"?',
    ],
    ['a node that is not even near one', expression('{{ $nodes.zz.total }}'), VALUE, 'there is no node "zz"'],
    [
      'an id with a dash, which is read as a subtraction',
      expression('{{ $nodes.call-shop.body.total }}'),
      VALUE,
      '$nodes.call-shop is read as a subtraction; did you mean "$nodes.`call-shop`.body.total"?',
    ],
    [
      'the output of the node itself',
      expression('{{ $nodes.pick.total }}'),
      VALUE,
      "$nodes.pick is the node's own output, which does not exist yet",
    ],
    [
      "another node, as in n8n's expressions",
      expression('{{ $node["call-shop"].json.total }}'),
      VALUE,
      'there is no $node: the output of another node is $nodes.<id>; did you mean "$nodes.`call-shop`.total"?',
    ],
    [
      "another node, as in n8n's newer expressions",
      expression('{{ $("call-shop").item.json.total }}'),
      VALUE,
      'there is no $( ): the output of another node is $nodes.<id>; did you mean "$nodes.`call-shop`.total"?',
    ],
    [
      "the input, as in Step Functions' expressions",
      expression('{{ $states.input.body.total }}'),
      VALUE,
      'there is no $states: input fields are plain names, and the run is $execution; did you mean "body.total"?',
    ],
    [
      'the environment',
      expression('{{ $env.SHOP }}'),
      VALUE,
      "there is no $env: expressions can't read the environment; variables of the stage are $vars.<name>",
    ],
    [
      'a function with a letter missing, that other languages have',
      expression('{{ $uper(body.name) }}'),
      VALUE,
      'there is no function $uper; did you mean "$uppercase"?',
    ],
    [
      'a function without its $',
      expression('{{ uppercase(body.name) }}'),
      VALUE,
      '"uppercase()" can\'t be called: functions begin with "$"; did you mean "$uppercase"?',
    ],
    [
      'a method of JavaScript',
      expression('{{ body.name.toLowerCase() }}'),
      VALUE,
      '"toLowerCase()" can\'t be called: functions begin with "$"; did you mean "$lowercase"?',
    ],
    [
      'a function that is not called',
      expression('{{ $now }}'),
      VALUE,
      '$now is a function: to call it, write $now()',
    ],
    [
      'a field in brackets',
      expression('{{ body["total"] }}'),
      VALUE,
      '["total"] does not select a field; did you mean ".total"?',
    ],
    [
      'a field of the body without body',
      expression('{{ total }}'),
      VALUE,
      'the request has no "total", but "body", "headers", "queryParams", "requestMethod", "requestPath", "remoteAddress", "triggeredAt", "triggerType"; did you mean "body.total"?',
    ],
    [
      'a field of the execution that there is not',
      expression('{{ $execution.startedOn }}'),
      VALUE,
      '$execution has no "startedOn", but "id", "workflowId", "workflowVersion", "startedAt", "stage", "trigger"; did you mean "$execution.startedAt"?',
    ],
    [
      'texts that are added',
      expression('{{ "Dear " + body.name }}'),
      VALUE,
      'adds strings with "+", which is for numbers: join them with "&"',
    ],
    [
      'a comparison as in JavaScript',
      { [CONDITION]: '{{ total == 100 }}' },
      CONDITION,
      'The symbol "=" cannot be used as a unary operator (character 8); in JSONata, "equals" is written =',
    ],
    [
      'an expression that cannot be read',
      expression('{{ 1 + }}'),
      VALUE,
      'Unexpected end of expression (character 3)',
    ],
    ['an expression without its end', expression('{{ body.total }'), VALUE, 'a "{{" has no matching "}}"'],
    [
      '$eval',
      expression('{{ $eval("1") }}'),
      VALUE,
      '$eval is not available: expressions come from the workflow only',
    ],
    [
      'an expression that begins as in n8n',
      expression('={{ body.total }}'),
      VALUE,
      'begins with "=", which would be kept as text: remove it',
    ],
    [
      'the braces of Step Functions',
      expression('{% body.total %}'),
      VALUE,
      'is literal text: expressions are written in {{ }}; did you mean "{{ body.total }}"?',
    ],
    [
      'a function of a literal of another type',
      expression('{{ $uppercase(5) }}'),
      VALUE,
      '"$uppercase(5)" fails in every run: Argument 1 of function "uppercase" does not match function signature',
    ],
    [
      'a calculation with the time as text',
      expression('{{ body.days * 2 + ($now() + 1) }}'),
      VALUE,
      '"($now() + 1)" fails in every run: The left side of the "+" operator must evaluate to a number',
    ],
    [
      'a calculation with data and a text',
      expression('{{ body.total - $string(5) }}'),
      VALUE,
      '"1 - $string(5)" fails in every run: The right side of the "-" operator must evaluate to a number',
    ],
    [
      'a time zone that does not exist',
      expression('{{ $fromMillis(body.at, "[H01]:[m01]", "Berlin") }}'),
      VALUE,
      expect.stringContaining(
        'fails in every run: The time zone of $fromMillis() must be a name of the IANA database',
      ) as never,
    ],
    [
      'a date that does not exist',
      expression('{{ $toMillis("2026-02-30") }}'),
      VALUE,
      expect.stringContaining(
        'fails in every run: The argument of the toMillis function must be an ISO 8601',
      ) as never,
    ],
    [
      'a header name with a blank',
      { [`${CALL}/parameters/headers`]: { 'X Order': '5' } },
      `${CALL}/parameters/headers/X Order`,
      'is not a name that HTTP allows',
    ],
    [
      'a header value with a letter that no header carries',
      { [`${CALL}/parameters/headers`]: { 'X-Name': 'J\u00fcrgen \u65e5 {{ body.id }}' } },
      `${CALL}/parameters/headers/X-Name`,
      expect.stringMatching(
        /^has "\u65e5", which a header can't carry: use \$encodeUrlComponent\(…\), /,
      ) as never,
    ],
    [
      'a header value with a line break',
      { [`${CALL}/parameters/headers`]: { 'X-Name': 'a\nb' } },
      `${CALL}/parameters/headers/X-Name`,
      "has a control character, which a header can't carry",
    ],
    [
      'the braces of JavaScript',
      { [`${CALL}/parameters/url`]: `https://shop.example/\${body.id}` },
      `${CALL}/parameters/url`,
      `"\${body.id}" is literal text: expressions are written in {{ }}; did you mean "{{ body.id }}"?`,
    ],
    [
      'a condition that is a text',
      { [CONDITION]: 'total > 100' },
      CONDITION,
      'must be boolean; did you mean "{{ total > 100 }}"?',
    ],
    [
      'a condition that is a text, for an expression is only a part of it',
      { [CONDITION]: '{{ total }} > 100' },
      CONDITION,
      'must be boolean, but a template with more than one expression is a string; did you mean "{{ total > 100 }}"?',
    ],

    // Parameters
    [
      'a time in minutes',
      { [PAUSE]: { minutes: 5 } },
      PAUSE,
      'has the unknown key "minutes"; did you mean "seconds": 300?',
    ],
    ['neither of two parameters', { [PAUSE]: {} }, PAUSE, 'must have one of the keys "seconds", "until"'],
    [
      'both of two parameters',
      { [PAUSE]: { seconds: 5, until: '2027-01-31T09:00:00Z' } },
      PAUSE,
      'must have only one of the keys "seconds", "until"',
    ],
    [
      'a number in quotes',
      { [`${PAUSE}/seconds`]: '5' },
      `${PAUSE}/seconds`,
      'must be number; did you mean 5, without quotes?',
    ],
    [
      'a time without its zone',
      { [PAUSE]: { until: '2027-01-31 09:00' } },
      `${PAUSE}/until`,
      'must match the pattern of its schema (ISO 8601 with a time zone, such as 2027-01-31T09:00:00Z)',
    ],
    ['a parameter that is missing', { [PICK]: {} }, PICK, 'lacks the key "values"'],
    [
      'a parameter that is misspelt',
      { [PICK]: { valeus: {} } },
      PICK,
      'has the unknown key "valeus"; did you mean "values"?',
    ],
    [
      'a parameter that stands in another place',
      { [`${CALL}/parameters/onError`]: 'route' },
      `${CALL}/parameters`,
      `has the unknown key "onError": it belongs in the node's "settings", next to "parameters"`,
    ],
    [
      'a URL without a scheme',
      { [`${CALL}/parameters/url`]: 'shop.example/orders' },
      `${CALL}/parameters/url`,
      'must match pattern "^https?://" (http or https); did you mean "https://shop.example/orders"?',
    ],

    // Nodes
    [
      'a type that is misspelt',
      { '/nodes/6/type': 'respondToWebhok' },
      '/nodes/6/type',
      'no installed plugin provides the type "respondToWebhok"; did you mean "respondToWebhook"?',
    ],
    [
      'a type of n8n',
      { '/nodes/1/type': 'n8n-nodes-base.set' },
      '/nodes/1/type',
      'no installed plugin provides the type "n8n-nodes-base.set"; did you mean "set"?',
    ],
    [
      'a type that does the same elsewhere',
      { '/nodes/0/type': 'webhook' },
      '/nodes/0/type',
      'no installed plugin provides the type "webhook"; did you mean "webhookTrigger"?',
    ],
    [
      'an id twice',
      { '/nodes/7/id': 'reply', '/connections/3/targetNodeId': 'reply' },
      '/nodes/7/id',
      '"reply" is already the id of /nodes/6',
    ],
    [
      'an id with a space',
      { '/nodes/7/id': 'small order', '/connections/3/targetNodeId': 'small order' },
      '/nodes/7/id',
      'must match pattern "^[A-Za-z0-9_-]{1,64}$" (Up to 64 of A-Z a-z 0-9 _ -; unique in the workflow); did you mean "small-order"?',
    ],
    [
      'a credential for a node that takes none',
      { '/nodes/1/credentialId': 'shop-key' },
      '/nodes/1/credentialId',
      'nodes of the type "set" don\'t use a credential: remove it',
    ],
    [
      'a setting at the top of a node',
      { [`${CALL}/timeoutSeconds`]: 60 },
      CALL,
      'has the unknown key "timeoutSeconds": it belongs in "settings"',
    ],
    [
      'retries of a node that touches nothing outside',
      { '/nodes/1/settings': { retry: { maxAttempts: 3 } } },
      '/nodes/1/settings/retry',
      'has no effect: nodes of the type "set" have no side effects and are never retried',
    ],
    [
      'retries without a number of attempts',
      { [`${CALL}/settings/retry`]: { intervalSeconds: 5 } },
      `${CALL}/settings/retry`,
      'never retries: maxAttempts defaults to 1, which is the first attempt',
    ],
    [
      'retries of what is done at most once',
      { [`${CALL}/settings/atMostOnce`]: true },
      `${CALL}/settings/atMostOnce`,
      'contradicts retry.maxAttempts 3',
    ],
    [
      'a limit of turns, outside of a loop',
      { '/nodes/1/settings': { maxIterations: 5 } },
      '/nodes/1/settings/maxIterations',
      'has no effect: the node is not in a loop',
    ],
    [
      'an unknown way to take failures',
      { [`${CALL}/settings/onError`]: 'ruote' },
      `${CALL}/settings/onError`,
      'must be one of fail, continue, route; did you mean "route"?',
    ],

    // Triggers
    [
      'no trigger',
      { '/nodes/0': { id: 'request', type: 'set', parameters: { values: {} } } },
      '/nodes',
      'nothing starts the workflow: add a webhookTrigger, or a manualTrigger to run it by hand or from other workflows',
    ],
    [
      'a path parameter as other tools write it',
      { '/nodes/0/parameters/path': '/users/{id}' },
      '/nodes/0/parameters/path',
      '"{id}" would be taken literally: write :id for one segment, *id for all following segments',
    ],
    [
      'a path parameter without a name',
      { '/nodes/0/parameters/path': '/users/*' },
      '/nodes/0/parameters/path',
      '"*" has no name: write *rest for all following segments, :id for one segment',
    ],
    [
      'a name that no path parameter can have',
      { '/nodes/0/parameters/path': '/users/:user-id' },
      '/nodes/0/parameters/path',
      '":user-id" is not a parameter: a name is a letter followed by letters, digits and _, up to the next slash',
    ],
    [
      'the rest of a path, before its end',
      { '/nodes/0/parameters/path': '/files/*rest/raw' },
      '/nodes/0/parameters/path',
      '"*rest" matches everything that follows, so it must be the last segment',
    ],
    [
      'two path parameters of one name',
      { '/nodes/0/parameters/path': '/users/:id/posts/:id' },
      '/nodes/0/parameters/path',
      'has two parameters named "id"',
    ],
    [
      'a method among several, in small letters',
      { '/nodes/0/parameters/methods': ['GET', 'post'] },
      '/nodes/0/parameters/methods/1',
      'must be one of GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS; did you mean "POST"?',
    ],
    [
      'any method',
      { '/nodes/0/parameters/methods': ['*'] },
      '/nodes/0/parameters/methods/0',
      'must be one of GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS',
    ],
    [
      'several methods beside one',
      { '/nodes/0/parameters/method': 'GET', '/nodes/0/parameters/methods': ['PUT'] },
      '/nodes/0/parameters/methods',
      `can't be combined with "method": remove one of them`,
    ],
    [
      'an expression in a trigger',
      { '/nodes/0/parameters/path': '/{{ body.x }}' },
      '/nodes/0/parameters/path',
      "can't contain an expression: triggers are set up before any run",
    ],
    [
      'a path parameter, read behind a path without any',
      { '/nodes/1/parameters/values': { id: '{{ pathParams.id }}' } },
      '/nodes/1/parameters/values/id',
      'the request has no "pathParams", but "body", "headers", "queryParams", "requestMethod", "requestPath", "remoteAddress", "triggeredAt", "triggerType"; did you mean "queryParams.id"?',
    ],
    [
      'a method in small letters',
      { '/nodes/0/parameters/method': 'post' },
      '/nodes/0/parameters/method',
      'must be one of GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS; did you mean "POST"?',
    ],
    [
      'authentication without a credential',
      { '/nodes/0/credentialId': undefined },
      '/nodes/0',
      'authentication "apiKey" needs a credentialId',
    ],
    [
      'two triggers at one address',
      {
        '/nodes/9': { id: 'again', type: 'webhookTrigger', parameters: { path: 'orders' } },
        '/connections/9': { sourceNodeId: 'again', targetNodeId: 'pick' },
      },
      '/nodes/9',
      'listens at POST /orders, as /nodes/0 does',
    ],
    [
      'an answer that no caller waits for',
      { [MODE]: undefined },
      '/nodes/6/type',
      'answers no caller: a webhookTrigger that leads to it needs "responseMode": "responseNode"',
    ],
    [
      'an approval where the caller waits',
      {
        '/nodes/5': { id: 'pause', type: 'approval', parameters: {} },
        '/connections/8/sourceOutput': 'approved',
      },
      MODE,
      'makes the caller wait for the result, but "pause" waits for an outside answer, which only a background run can do: use onReceived or "onTimeout": "continue"',
    ],
    [
      'a wait that is longer than the caller waits',
      { [`${PAUSE}/seconds`]: 600 },
      MODE,
      'makes the caller wait for the result, but "pause" waits 600 seconds, but the caller at most 25: use onReceived or "onTimeout": "continue"',
    ],
    [
      'a key of a delivery that the request does not have',
      { '/nodes/0/parameters/deduplication': 'id' },
      '/nodes/0/parameters/deduplication',
      'the request has no "id", but "body", "headers", "queryParams", "requestMethod", "requestPath", "remoteAddress", "triggeredAt"; did you mean "body.id"?',
    ],
    [
      'a key of a delivery in braces',
      { '/nodes/0/parameters/deduplication': '{{ body.id }}' },
      '/nodes/0/parameters/deduplication',
      'is already an expression: remove the braces',
    ],
    [
      'a sender in another case',
      { '/nodes/0/parameters/deduplication': 'GitHub' },
      '/nodes/0/parameters/deduplication',
      'there is no sender "GitHub"; did you mean "github"?',
    ],

    // The workflow
    [
      'runs for volume that wait',
      { '/settings': { execution: 'express' } },
      '/settings/execution',
      'express runs can\'t wait, but "pause" does: use durable, or remove this setting',
    ],
    [
      'a switch of another tool',
      { '/enabled': undefined, '/active': false },
      '',
      'has the unknown key "active"; did you mean "enabled"?',
    ],
  ])('%s', async (_mistake, changes, path, message) => {
    expect(await problemsOf(changes)).toMatchObject([{ path, message }]);
  });
});
