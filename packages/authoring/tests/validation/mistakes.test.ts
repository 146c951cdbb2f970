import * as bedrockRuntime from '@aws-sdk/client-bedrock-runtime';
import * as dynamodb from '@aws-sdk/client-dynamodb';
import * as lambda from '@aws-sdk/client-lambda';
import * as rdsData from '@aws-sdk/client-rds-data';
import * as s3 from '@aws-sdk/client-s3';
import * as sesv2 from '@aws-sdk/client-sesv2';
import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { code as codeNode } from '../../../../nodes/code/code.plugin.ts';
import { runNode } from '../../../../tests/support/a-node-context.ts';
import { loadNodeTypes } from '../../../cli/plugins/node-types.ts';
import { AWS_OPERATIONS } from '../../validation/mistakes/aws-operations.ts';
import { SANDBOX_GLOBALS } from '../../validation/mistakes/check-code.chunk.ts';
import { validateWorkflow } from '../../validation/validate.ts';

// Mistakes that authors make, each in a workflow that is otherwise valid. Every one is reported, as an error or as a
// warning, at its place.

let findNodeType: FindNodeType;
beforeAll(async () => {
  findNodeType = await loadNodeTypes();
});

const workflow = (nodes: readonly JsonObject[], connections: readonly JsonObject[], top: object = {}) => ({
  id: 'shop',
  name: 'Shop',
  enabled: true,
  nodes,
  connections,
  ...top,
});

type Node = Readonly<Record<string, JsonValue>>;

/** A webhook leads to a node, which is /nodes/1. */
const node = (type: string, parameters: JsonObject, others: JsonObject = {}) =>
  flow({ start: 'webhookTrigger', it: { type, parameters, ...others } }, ['start -> it']);

/** The node with a credential. */
const withKey = (type: string, parameters: JsonObject) => node(type, parameters, { credentialId: 'key' });

/** A trigger, /nodes/0, leads to a node that does nothing. */
const trigger = (type: string, parameters: JsonObject, others: JsonObject = {}) =>
  flow({ start: { type, parameters, ...others }, it: 'noOp' }, ['start -> it']);

const webhook = (parameters: JsonObject, others: JsonObject = {}) =>
  trigger('webhookTrigger', parameters, others);

/** Nodes by their ids, and edges such as `a.error -> b`. */
const flow = (nodes: Readonly<Record<string, string | Node>>, edges: readonly string[], top: object = {}) =>
  workflow(
    Object.entries(nodes).map(([id, given]) => ({
      id,
      parameters: {},
      ...(typeof given === 'string' ? { type: given } : given),
    })),
    edges.map((edge) => {
      const [from = '', targetNodeId = ''] = edge.split(' -> ');
      const [sourceNodeId = '', sourceOutput] = from.split('.');
      return { sourceNodeId, ...(sourceOutput === undefined ? {} : { sourceOutput }), targetNodeId };
    }),
    top,
  );

const answering: Node = { type: 'webhookTrigger', parameters: { responseMode: 'responseNode' } };
const waiting: Node = { type: 'webhookTrigger', parameters: { responseMode: 'lastNode' } };
const condition = (text: string): Node => ({ type: 'if', parameters: { condition: text } });
const get = (parameters: JsonObject): JsonObject => ({
  url: 'https://api.example.com/orders',
  ...parameters,
});
const code = (text: string) => node('code', { code: text });
const aws = (service: string, operation: string, input: JsonObject) =>
  node('aws', { service, operation, input });
const mail = (parameters: JsonObject) =>
  withKey('email', {
    from: 'shop@example.com',
    to: ['ann@example.com'],
    subject: 'Hi',
    text: 'Hi',
    ...parameters,
  });
const body = (schema: JsonObject) => webhook({ schema: { type: 'object', ...schema } });

const PARAMETERS = '/nodes/1/parameters';
const SETTINGS = '/nodes/1/settings';
const START = '/nodes/0/parameters';

type Mistake = readonly [mistake: string, file: JsonValue, path: string, says: string];

const ID = '8202522731445525542';
const numbers: readonly Mistake[] = [
  [
    "an id that a number can't hold, in an expression",
    node('set', { values: { isIt: `{{ body.id = ${ID} }}` } }),
    `${PARAMETERS}/values/isIt`,
    `did you mean "${ID}"?`,
  ],
  [
    'a negative one, beside strings with digits',
    node('set', { values: { isIt: `{{ body.id = "${ID}" or body.id = -${ID} }}` } }),
    `${PARAMETERS}/values/isIt`,
    `${ID} is beyond ±9007199254740991`,
  ],
  [
    'one in the filter of a webhook',
    webhook({ onlyIf: `body.id = ${ID}` }),
    `${START}/onlyIf`,
    'where numbers lose digits',
  ],
  [
    'one in a key',
    webhook({ deduplication: `body.id & ${ID}` }),
    `${START}/deduplication`,
    'where numbers lose digits',
  ],
  [
    'one in a schema',
    body({ properties: { 'a/b': { enum: ['x', Number(ID)] } } }),
    `${START}/schema/properties/a~1b/enum/1`,
    'write a string',
  ],
  [
    'one in a value',
    node('set', { values: { id: -Number(ID) } }),
    `${PARAMETERS}/values/id`,
    'write a string',
  ],
];

const connections: readonly Mistake[] = [
  [
    'failures that are routed to nothing',
    node('httpRequest', get({}), { settings: { onError: 'route' } }),
    `${SETTINGS}/onError`,
    'connect its output "error"',
  ],
  [
    'failures of a mail that are routed to nothing',
    {
      ...mail({}),
      nodes: mail({}).nodes.map((one, at) => (at === 0 ? one : { ...one, settings: { onError: 'route' } })),
    } as JsonValue,
    `${SETTINGS}/onError`,
    'connect its output "error"',
  ],
  [
    'going on from a node without main',
    flow(
      {
        start: 'webhookTrigger',
        it: { ...condition('{{ body.ok }}'), settings: { onError: 'continue' } },
        yes: 'noOp',
      },
      ['start -> it', 'it.true -> yes'],
    ),
    `${SETTINGS}/onError`,
    'has no output "main"',
  ],
  [
    'a branch without an answer',
    flow({ start: answering, it: condition('{{ body.ok }}'), yes: 'respondToWebhook' }, [
      'start -> it',
      'it.true -> yes',
    ]),
    '/nodes/1',
    '"false" of "it" leads to no respondToWebhook',
  ],
  [
    'a branch that ends before the answer',
    flow({ start: answering, it: condition('{{ body.ok }}'), yes: 'respondToWebhook', no: 'noOp' }, [
      'start -> it',
      'it.true -> yes',
      'it.false -> no',
    ]),
    '/nodes/3',
    '"no" ends a path on which no respondToWebhook runs',
  ],
  [
    'a case of a switch without an answer',
    flow(
      {
        start: answering,
        it: {
          type: 'switch',
          parameters: { value: '{{ body.kind }}', cases: [{ equals: 'a', output: 'a' }] },
        },
        a: 'respondToWebhook',
      },
      ['start -> it', 'it.a -> a'],
    ),
    '/nodes/1',
    '"default" of "it" leads to no respondToWebhook',
  ],
  [
    'a failure without an answer',
    flow(
      {
        start: answering,
        it: { type: 'httpRequest', parameters: get({}), settings: { onError: 'route' } },
        yes: 'respondToWebhook',
        no: 'noOp',
      },
      ['start -> it', 'it -> yes', 'it.error -> no'],
    ),
    '/nodes/3',
    'no respondToWebhook runs',
  ],
  [
    'a filter before the answer',
    flow(
      {
        start: answering,
        it: { type: 'filter', parameters: { condition: '{{ body.ok }}' } },
        yes: 'respondToWebhook',
      },
      ['start -> it', 'it -> yes'],
    ),
    '/nodes/1',
    'no respondToWebhook runs',
  ],
  [
    'an approval whose time runs out without an answer',
    flow(
      {
        start: {
          type: 'webhookTrigger',
          parameters: { responseMode: 'responseNode', onTimeout: 'continue' },
        },
        it: { type: 'approval', parameters: {} },
        yes: 'respondToWebhook',
        no: 'respondToWebhook',
      },
      ['start -> it', 'it.approved -> yes', 'it.rejected -> no'],
    ),
    '/nodes/1',
    '"timedOut" of "it" leads to no respondToWebhook',
  ],
  [
    'a forEach without a body',
    node('forEach', { items: '{{ body.list }}' }),
    '/nodes/1',
    'nothing is connected to its output "each"',
  ],
  [
    'a forEach whose body hangs on main',
    flow(
      {
        start: 'webhookTrigger',
        it: { type: 'forEach', parameters: { items: '{{ body.list }}' } },
        call: { type: 'httpRequest', parameters: get({}) },
      },
      ['start -> it', 'it -> call'],
    ),
    '/nodes/1',
    'nothing is connected to its output "each"',
  ],
  [
    'an output in another case',
    flow({ start: 'webhookTrigger', it: condition('{{ body.ok }}'), yes: 'noOp' }, [
      'start -> it',
      'it.True -> yes',
    ]),
    '/connections/1/sourceOutput',
    'did you mean "true"?',
  ],
  [
    'a branch without its output',
    flow({ start: 'webhookTrigger', it: condition('{{ body.ok }}'), yes: 'noOp' }, [
      'start -> it',
      'it -> yes',
    ]),
    '/connections/1',
    'set sourceOutput to one of',
  ],
  [
    'an output of a switch that no case has',
    flow(
      {
        start: 'webhookTrigger',
        it: {
          type: 'switch',
          parameters: { value: '{{ body.kind }}', cases: [{ equals: 'a', output: 'orders' }] },
        },
        yes: 'noOp',
      },
      ['start -> it', 'it.order -> yes'],
    ),
    '/connections/1/sourceOutput',
    'did you mean "orders"?',
  ],
  [
    'a node that is not there',
    flow({ start: 'webhookTrigger', notify: 'noOp' }, ['start -> notifiy']),
    '/connections/0/targetNodeId',
    'did you mean "notify"?',
  ],
  [
    'a node that nothing leads to',
    flow({ start: 'webhookTrigger', a: 'noOp', b: 'noOp' }, ['start -> a']),
    '/nodes/2',
    'no trigger leads to "b"',
  ],
  [
    'a connection twice',
    flow({ start: 'webhookTrigger', a: 'noOp' }, ['start -> a', 'start -> a']),
    '/connections/1',
    'duplicates',
  ],
  [
    'a loop without an exit',
    flow({ start: 'webhookTrigger', a: 'noOp', b: 'noOp' }, ['start -> a', 'a -> b', 'b -> a']),
    '/connections/2',
    'closes a loop without an exit',
  ],
  [
    'a connection out of a body',
    flow(
      {
        start: 'webhookTrigger',
        it: { type: 'forEach', parameters: { items: '{{ body.list }}' } },
        a: 'noOp',
        b: 'noOp',
      },
      ['start -> it', 'it.each -> a', 'a -> b', 'it -> b'],
    ),
    '/connections/3',
    'no node outside that body can connect to it',
  ],
  [
    'a workflow that only ever runs itself',
    flow({ start: 'manualTrigger', it: { type: 'subworkflow', parameters: { workflowId: 'shop' } } }, [
      'start -> it',
    ]),
    `${PARAMETERS}/workflowId`,
    'every run of "shop" runs "shop" again',
  ],
  [
    'a failure handler for itself alone',
    trigger('errorTrigger', { workflows: ['shop'] }),
    `${START}/workflows/0`,
    'names this workflow itself',
  ],
  [
    'an answer that no caller waits for',
    flow({ start: 'webhookTrigger', it: 'respondToWebhook' }, ['start -> it']),
    '/nodes/1/type',
    'answers no caller',
  ],
  [
    'a response node that is missing',
    flow({ start: answering, it: 'noOp' }, ['start -> it']),
    `${START}/responseMode`,
    'needs a respondToWebhook node',
  ],
];

const settings: readonly Mistake[] = [
  [
    'retries that take longer than the caller waits',
    flow(
      {
        start: waiting,
        it: {
          type: 'httpRequest',
          parameters: get({}),
          settings: { retry: { maxAttempts: 6, intervalSeconds: 10 } },
        },
      },
      ['start -> it'],
    ),
    `${SETTINGS}/retry`,
    'the caller waits at most 25 seconds',
  ],
  [
    'a delay that is longer than the caller waits',
    flow(
      {
        start: waiting,
        it: {
          type: 'httpRequest',
          parameters: get({}),
          settings: { retry: { maxAttempts: 2, intervalSeconds: 60 } },
        },
      },
      ['start -> it'],
    ),
    `${SETTINGS}/retry`,
    'the caller waits at most 25 seconds',
  ],
  [
    'a time limit that is longer than the caller waits',
    flow(
      { start: waiting, it: { type: 'httpRequest', parameters: get({}), settings: { timeoutSeconds: 120 } } },
      ['start -> it'],
    ),
    `${SETTINGS}/timeoutSeconds`,
    'the caller waits at most 25 seconds',
  ],
  [
    'a time limit above the time limit of the webhook',
    flow(
      {
        start: { type: 'webhookTrigger', parameters: { responseMode: 'lastNode', timeoutSeconds: 5 } },
        it: { type: 'httpRequest', parameters: get({}), settings: { timeoutSeconds: 20 } },
      },
      ['start -> it'],
    ),
    `${SETTINGS}/timeoutSeconds`,
    'the caller waits at most 5 seconds',
  ],
  [
    'a wait above the limit of the webhook',
    flow(
      {
        start: { type: 'webhookTrigger', parameters: { responseMode: 'lastNode', timeoutSeconds: 5 } },
        it: { type: 'wait', parameters: { seconds: 10 } },
      },
      ['start -> it'],
    ),
    `${START}/responseMode`,
    'waits 10 seconds',
  ],
  [
    'a wait for minutes behind a waiting caller',
    flow({ start: waiting, it: { type: 'wait', parameters: { seconds: 600 } } }, ['start -> it']),
    `${START}/responseMode`,
    'waits 600 seconds',
  ],
  [
    'a wait by an expression behind a waiting caller',
    flow({ start: waiting, it: { type: 'wait', parameters: { seconds: '{{ body.delay }}' } } }, [
      'start -> it',
    ]),
    `${PARAMETERS}/seconds`,
    'waits for a time known only at run time',
  ],
  [
    'a wait until a time of the data behind a waiting caller',
    flow({ start: waiting, it: { type: 'wait', parameters: { until: '{{ body.dueAt }}' } } }, [
      'start -> it',
    ]),
    `${PARAMETERS}/until`,
    'waits for a time known only at run time',
  ],
  [
    'an approval behind a waiting caller',
    flow({ start: waiting, it: 'approval', yes: 'noOp' }, ['start -> it', 'it.approved -> yes']),
    `${START}/responseMode`,
    'waits for an outside answer',
  ],
  [
    'retries of a node that touches nothing',
    node('set', { values: {} }, { settings: { retry: { maxAttempts: 3 } } }),
    `${SETTINGS}/retry`,
    'has no effect',
  ],
  [
    'retries without a number',
    node('httpRequest', get({}), { settings: { retry: { intervalSeconds: 3 } } }),
    `${SETTINGS}/retry`,
    'never retries',
  ],
  [
    'a number of retries under another name',
    node('httpRequest', get({}), { settings: { retry: { attempts: 3 } } }),
    `${SETTINGS}/retry`,
    'did you mean "maxAttempts"?',
  ],
  [
    'a time in milliseconds',
    node('httpRequest', get({}), { settings: { timeoutMs: 5000 } }),
    SETTINGS,
    '"timeoutSeconds": 5',
  ],
  [
    'settings among the parameters',
    node('httpRequest', get({ retry: { maxAttempts: 3 } })),
    PARAMETERS,
    `it belongs in the node's "settings"`,
  ],
  [
    'an expected period that no sweep sees',
    flow({ start: 'webhookTrigger', it: 'noOp' }, ['start -> it'], {
      settings: { expect: { every: '5 minutes' } },
    }),
    '/settings/expect/every',
    'must be from 15 minutes to 30 days',
  ],
  [
    'an expected period that is longer than records are kept',
    flow({ start: 'webhookTrigger', it: 'noOp' }, ['start -> it'], {
      settings: { expect: { every: '31 days' } },
    }),
    '/settings/expect/every',
    'must be from 15 minutes to 30 days',
  ],
  [
    'an expected period that is no duration',
    flow({ start: 'webhookTrigger', it: 'noOp' }, ['start -> it'], {
      settings: { expect: { atLeast: 1, every: 'day' } },
    }),
    '/settings/expect/every',
    'must match',
  ],
  [
    'an expectation that is not false',
    flow({ start: 'webhookTrigger', it: 'noOp' }, ['start -> it'], { settings: { expect: true } }),
    '/settings/expect',
    'must be',
  ],
  [
    'express runs that wait',
    flow({ start: 'webhookTrigger', it: { type: 'wait', parameters: { seconds: 5 } } }, ['start -> it'], {
      settings: { execution: 'express' },
    }),
    '/settings/execution',
    "express runs can't wait",
  ],
  [
    'a disabled workflow, as n8n says it',
    { ...flow({ start: 'webhookTrigger' }, []), enabled: undefined, active: false } as never,
    '',
    'did you mean "enabled"?',
  ],
];

const credentials: readonly Mistake[] = [
  [
    'postgres without a credential',
    node('postgres', { query: 'SELECT 1' }),
    '/nodes/1',
    'needs a credentialId',
  ],
  [
    'llm without a credential',
    node('llm', { provider: 'openai', model: 'm', prompt: 'Hi' }),
    '/nodes/1',
    'needs a credentialId',
  ],
  [
    'anthropic without a credential',
    node('llm', { provider: 'anthropic', model: 'm', prompt: 'Hi' }),
    '/nodes/1',
    'httpHeader',
  ],
  [
    'a mail without a server',
    node('email', { from: 'a@example.com', to: ['b@example.com'], subject: 'Hi', text: 'x' }),
    '/nodes/1',
    'of the type smtp',
  ],
  [
    'slack without a token',
    node('slackMessage', { channel: 'C1', text: 'Hi' }),
    '/nodes/1',
    'of the type httpBearer',
  ],
  [
    'a slack webhook without its address',
    node('slackWebhook', { text: 'Hi' }),
    '/nodes/1',
    'of the type slackWebhook',
  ],
  [
    'github without a token',
    node('githubCreateIssue', { repository: 'a/b', title: 'x' }),
    '/nodes/1',
    'needs a credentialId',
  ],
  [
    'a signature without a key',
    node('crypto', { operation: 'hmac', data: 'x' }),
    '/nodes/1',
    'of the type signingKey',
  ],
  [
    'a key of API callers that is not named',
    webhook({ authentication: 'apiKey' }),
    '/nodes/0',
    'needs a credentialId',
  ],
  [
    'a credential without authentication',
    webhook({}, { credentialId: 'key' }),
    '/nodes/0/credentialId',
    'has no effect',
  ],
  [
    'a credential for a node that takes none',
    withKey('set', { values: {} }),
    '/nodes/1/credentialId',
    "don't use a credential",
  ],
  [
    'a credential among the parameters',
    node('httpRequest', get({ credentialId: 'crm' })),
    PARAMETERS,
    'next to "parameters"',
  ],
  [
    'a file name beyond ASCII in a header of an answer',
    flow(
      {
        start: { type: 'webhookTrigger', parameters: { responseMode: 'responseNode' } },
        it: {
          type: 'respondToWebhook',
          parameters: { headers: { 'content-disposition': 'attachment; filename="M\u00e4rz.pdf"' } },
        },
      },
      ['start -> it'],
    ),
    `${PARAMETERS}/headers/content-disposition`,
    "has \"\u00e4\", which a header can't carry: use $encodeUrlComponent(…), for the name of a file as in attachment; filename*=UTF-8''{{ $encodeUrlComponent(name) }}",
  ],
  [
    'a token in a header',
    node('httpRequest', get({ headers: { Authorization: 'Bearer 7f3a9c0b52d14e' } })),
    `${PARAMETERS}/headers/Authorization`,
    'credential of the type httpBearer',
  ],
  [
    'a user name and password in a header',
    node('httpRequest', get({ headers: { authorization: 'Basic YW5uOnNlY3JldA==' } })),
    `${PARAMETERS}/headers/authorization`,
    'credential of the type httpBasic',
  ],
  [
    'an API key in a header',
    node('httpRequest', get({ headers: { 'X-Api-Key': '7f3a9c0b52d14e' } })),
    `${PARAMETERS}/headers/X-Api-Key`,
    'credential of the type httpHeader',
  ],
  [
    'an API key in a URL',
    node('httpRequest', { url: 'https://api.example.com/x?api_key=7f3a9c0b52d1' }),
    `${PARAMETERS}/url`,
    'credential of the type httpQuery',
  ],
  [
    'an API key in the query',
    node('httpRequest', get({ query: { access_token: '7f3a9c0b52d14e' } })),
    `${PARAMETERS}/query/access_token`,
    'credential of the type httpQuery',
  ],
  [
    'a password in a URL',
    node('httpRequest', { url: 'https://ann:geheim123@api.example.com/' }),
    `${PARAMETERS}/url`,
    'credential of the type httpBasic',
  ],
  [
    'a key of Stripe in a set',
    node('set', { values: { key: 'sk_live_4eC39HqLyjWDarjtT1zdp7dc' } }),
    `${PARAMETERS}/values/key`,
    'looks like a secret',
  ],
  [
    'a token of GitHub in a body',
    node('httpRequest', get({ method: 'POST', body: { token: 'ghp_0123456789abcdefghijABCDEFGHIJ456789' } })),
    `${PARAMETERS}/body/token`,
    'looks like a secret',
  ],
  [
    'a token of Slack in code',
    code("const token = 'xoxb-123456789012-abcdefghijkl'; return { token };"),
    `${PARAMETERS}/code`,
    'looks like a secret',
  ],
  [
    'a password in the body of a request',
    node('httpRequest', get({ method: 'POST', body: { username: 'shop', password: 'hunter22' } })),
    `${PARAMETERS}/body/password`,
    'looks like a secret',
  ],
  [
    'a private key in an expression',
    node('set', { values: { pem: '-----BEGIN PRIVATE KEY-----\nMIIE' } }),
    `${PARAMETERS}/values/pem`,
    'looks like a secret',
  ],
  [
    'an access key of AWS',
    node('set', { values: { id: 'AKIAIOSFODNN7EXAMPLE' } }),
    `${PARAMETERS}/values/id`,
    'looks like a secret',
  ],
  [
    'an incoming webhook of Slack',
    node('httpRequest', {
      url: 'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX',
      method: 'POST',
    }),
    `${PARAMETERS}/url`,
    'looks like a secret',
  ],
  [
    'a shared key as a parameter',
    node('crypto', { operation: 'hmac', data: 'x', key: 'geheim' }),
    `${PARAMETERS}/key`,
    'create a credential of the type signingKey',
  ],
];

const schemas: readonly Mistake[] = [
  [
    'a keyword with swapped letters',
    body({ requierd: ['id'] }),
    `${START}/schema/requierd`,
    'did you mean "required"?',
  ],
  [
    'a keyword of a property',
    body({ properties: { id: { type: 'string', minLenght: 3 } } }),
    `${START}/schema/properties/id/minLenght`,
    'did you mean "minLength"?',
  ],
  [
    'properties in the singular',
    body({ property: { id: {} } }),
    `${START}/schema/property`,
    'did you mean "properties"?',
  ],
  [
    'a keyword in another case',
    body({ properties: { n: { type: 'string', maxlength: 3 } } }),
    `${START}/schema/properties/n/maxlength`,
    'did you mean "maxLength"?',
  ],
  [
    'a keyword of a list in another spelling',
    body({ properties: { n: { type: 'array', item: { type: 'string' } } } }),
    `${START}/schema/properties/n/item`,
    'did you mean "items"?',
  ],
  [
    'a required property that is misspelt',
    body({ required: ['emial'], properties: { email: { type: 'string' } } }),
    `${START}/schema/required/0`,
    'did you mean "email"?',
  ],
  [
    'required as in old schemas',
    body({ properties: { id: { type: 'string', required: true } } }),
    `${START}/schema/properties/id/required`,
    'must be array',
  ],
  [
    'a type that there is not',
    body({ properties: { id: { type: 'text' } } }),
    `${START}/schema/properties/id/type`,
    'must be one of string, number',
  ],
  [
    'a pattern that is none',
    body({ properties: { id: { type: 'string', pattern: '[a-' } } }),
    `${START}/schema/properties/id/pattern`,
    'is not a valid JSON Schema',
  ],
  [
    'a keyword of texts for a number',
    body({ properties: { n: { type: 'integer', minLength: 3 } } }),
    `${START}/schema/properties/n/minLength`,
    'has no effect on the type integer',
  ],
  [
    'a keyword of numbers for a text',
    body({ properties: { n: { type: 'string', minimum: 3 } } }),
    `${START}/schema/properties/n/minimum`,
    'has no effect on the type string',
  ],
  [
    'a misspelt keyword in a validate node',
    node('validate', { value: '{{ body }}', schema: { type: 'object', requierd: ['id'] } }),
    `${PARAMETERS}/schema/requierd`,
    'did you mean "required"?',
  ],
  [
    'a misspelt keyword in the schema of a model',
    withKey('llm', {
      provider: 'openai',
      model: 'm',
      prompt: 'Hi',
      schema: { type: 'object', propertys: {} },
    }),
    `${PARAMETERS}/schema/propertys`,
    'did you mean "properties"?',
  ],
  [
    'a misspelt keyword in the fields of an approval',
    flow(
      {
        start: 'webhookTrigger',
        it: {
          type: 'approval',
          parameters: { fields: { type: 'object', properties: { n: { type: 'string', maxLenght: 4 } } } },
        },
        yes: 'noOp',
      },
      ['start -> it', 'it.approved -> yes'],
    ),
    `${PARAMETERS}/fields/properties/n/maxLenght`,
    'did you mean "maxLength"?',
  ],
  [
    'a schema that is a sample',
    node('validate', { value: '{{ body }}', schema: { name: 'Ann', total: 5 } }),
    `${PARAMETERS}/schema`,
    'has no JSON Schema keyword',
  ],
  [
    'a wrong type in a validate node',
    node('validate', { value: '{{ body }}', schema: { type: 'map' } }),
    `${PARAMETERS}/schema/type`,
    'must be one of string, number',
  ],
  [
    'a pattern in a validate node that no run would match',
    node('validate', { value: '{{ body }}', schema: { properties: { a: { pattern: 'a(?=b)' } } } }),
    `${PARAMETERS}/schema/properties/a/pattern`,
    "can't be used: lookahead",
  ],
  [
    'names by a pattern in a validate node',
    node('validate', { value: '{{ body }}', schema: { patternProperties: { '^a': {} } } }),
    `${PARAMETERS}/schema/patternProperties`,
    'is not supported: use "propertyNames" with a pattern',
  ],
];

const operations: readonly Mistake[] = [
  [
    'an operation that S3 does not have',
    aws('s3', 'PutFile', { Bucket: 'b', Key: 'k' }),
    `${PARAMETERS}/operation`,
    's3 has no operation "PutFile"',
  ],
  [
    'a service by the name of a resource',
    aws('S3Bucket', 'PutObject', { Bucket: 'b', Key: 'k' }),
    `${PARAMETERS}/service`,
    'did you mean "s3"?',
  ],
  [
    'a service in capitals',
    aws('DynamoDB', 'GetItem', { TableName: 't', Key: {} }),
    `${PARAMETERS}/service`,
    'did you mean "dynamodb"?',
  ],
  [
    'a service by its package',
    aws('@aws-sdk/client-sqs', 'SendMessage', { QueueUrl: 'q', MessageBody: 'm' }),
    `${PARAMETERS}/service`,
    'did you mean "sqs"?',
  ],
  [
    'a service by its old name',
    aws('secretsmanager', 'GetSecretValue', { SecretId: 's' }),
    `${PARAMETERS}/service`,
    'did you mean "secrets-manager"?',
  ],
  [
    'a service by its name in IAM',
    aws('states', 'StartExecution', { stateMachineArn: 'a' }),
    `${PARAMETERS}/service`,
    'did you mean "sfn"?',
  ],
  [
    'an operation with a letter missing',
    aws('dynamodb', 'PutItm', { TableName: 't', Item: {} }),
    `${PARAMETERS}/operation`,
    'did you mean "PutItem"?',
  ],
  [
    'an operation that other SDKs alone have',
    aws('s3', 'PutBucketNotification', { Bucket: 'b', NotificationConfiguration: {} }),
    `${PARAMETERS}/operation`,
    'did you mean "PutBucketNotificationConfiguration"?',
  ],
  [
    'an operation by its command',
    aws('sqs', 'SendMessageCommand', { QueueUrl: 'q', MessageBody: 'm' }),
    `${PARAMETERS}/operation`,
    'did you mean "SendMessage"?',
  ],
  [
    'an item without its table',
    aws('dynamodb', 'PutItem', { Item: {} }),
    `${PARAMETERS}/input`,
    'lacks the key "TableName"',
  ],
  [
    'a message without its queue',
    aws('sqs', 'SendMessage', { MessageBody: 'm' }),
    `${PARAMETERS}/input`,
    'lacks the key "QueueUrl"',
  ],
  [
    'an object without its key',
    aws('s3', 'GetObject', { Bucket: 'b' }),
    `${PARAMETERS}/input`,
    'lacks the key "Key"',
  ],
  [
    'an execution without its machine',
    aws('sfn', 'StartExecution', { input: '{}' }),
    `${PARAMETERS}/input`,
    'lacks the key "stateMachineArn"',
  ],
  [
    'a key in another case',
    aws('s3', 'PutObject', { bucket: 'b', Key: 'k', Body: 'x' }),
    `${PARAMETERS}/input`,
    'did you mean "Bucket"?',
  ],
  [
    'a field that an operation does not take',
    aws('sns', 'Publish', { TopicArn: 'a', Message: 'm', Subjekt: 's' }),
    `${PARAMETERS}/input`,
    'did you mean "Subject"?',
  ],
  [
    'events of EventBridge under another key',
    aws('eventbridge', 'PutEvents', { Events: [] }),
    `${PARAMETERS}/input`,
    'lacks the key "Entries"',
  ],
];

const sql: readonly Mistake[] = [
  [
    'a value too few',
    withKey('postgres', { query: 'SELECT * FROM a WHERE b = $1 AND c = $2 AND d = $3', values: ['1', '2'] }),
    `${PARAMETERS}/values`,
    'the statement has $3',
  ],
  [
    'no values',
    withKey('postgres', { query: 'SELECT * FROM a WHERE b = $1' }),
    `${PARAMETERS}/query`,
    'the statement has $1',
  ],
  [
    'a value too many',
    withKey('postgres', { query: 'SELECT * FROM a WHERE b = $1', values: ['1', '2'] }),
    `${PARAMETERS}/values`,
    'the statement has no $2',
  ],
  [
    'a value too few of the second statement',
    withKey('postgres', { statements: ['SELECT 1', 'SELECT $1, $2'], values: [[], ['1']] }),
    `${PARAMETERS}/values/1`,
    'the statement has $2',
  ],
  [
    'an expression in SQL',
    withKey('postgres', { query: "SELECT * FROM a WHERE b = '{{ body.b }}'" }),
    `${PARAMETERS}/query`,
    "SQL can't contain expressions",
  ],
  [
    'question marks in place of values',
    withKey('postgres', { query: 'SELECT * FROM a WHERE b = ?', values: ['1'] }),
    `${PARAMETERS}/values`,
    'the statement has no $1',
  ],
  [
    'neither a query nor statements',
    withKey('postgres', { values: [] }),
    PARAMETERS,
    'must have one of the keys "query", "statements"',
  ],
  [
    'a query and statements',
    withKey('postgres', { query: 'SELECT 1', statements: ['SELECT 1'] }),
    PARAMETERS,
    'must have only one of the keys',
  ],
  [
    'the Data API without a cluster',
    node('postgres', {
      via: 'rdsData',
      query: 'SELECT 1',
      secretArn: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:db',
    }),
    PARAMETERS,
    'lacks the key "resourceArn"',
  ],
];

const needed: readonly Mistake[] = [
  ['a wait for no time', node('wait', {}), PARAMETERS, 'must have one of the keys "seconds", "until"'],
  [
    'csv without a text',
    node('csv', { operation: 'parse' }),
    PARAMETERS,
    'must have one of the keys "text", "file"',
  ],
  ['csv that writes no items', node('csv', { operation: 'write' }), PARAMETERS, 'lacks the key "items"'],
  ['xml without a text', node('xml', {}), PARAMETERS, 'must have one of the keys "text", "file"'],
  ['xml that writes no data', node('xml', { operation: 'write' }), PARAMETERS, 'lacks the key "data"'],
  [
    'html without a page',
    node('html', { values: { title: { selector: 'h1' } } }),
    PARAMETERS,
    'must have one of the keys "html", "file"',
  ],
  ['a feed without an address', node('rss', {}), PARAMETERS, 'must have one of the keys "url", "text"'],
  [
    'a time that nothing is added to',
    node('dateTime', { operation: 'add', value: '{{ body.at }}' }),
    PARAMETERS,
    'lacks the key "duration"',
  ],
  [
    'a difference from nothing',
    node('dateTime', { operation: 'difference', value: '{{ body.at }}', unit: 'days' }),
    PARAMETERS,
    'lacks the key "until"',
  ],
  ['a hash of nothing', node('crypto', { operation: 'hash' }), PARAMETERS, 'lacks the key "data"'],
  [
    'a check of no signature',
    withKey('crypto', { operation: 'verifyHmac', data: 'x' }),
    PARAMETERS,
    'lacks the key "signature"',
  ],
  [
    'a mail without a text',
    withKey('email', { from: 'a@example.com', to: ['b@example.com'], subject: 'Hi' }),
    PARAMETERS,
    'must have one of the keys "text", "html"',
  ],
  [
    'a mail without a recipient',
    withKey('email', { from: 'a@example.com', subject: 'Hi', text: 'x' }),
    PARAMETERS,
    'must have one of the keys "to", "cc", "bcc"',
  ],
  [
    'a model that is asked nothing',
    withKey('llm', { provider: 'openai', model: 'm' }),
    `${PARAMETERS}/prompt`,
    'give either prompt or messages',
  ],
  [
    'a file for slack that is none',
    withKey('slackUploadFile', { channel: 'C1' }),
    PARAMETERS,
    'must have one of the keys "file", "text"',
  ],
  ['a schedule without a time', trigger('scheduleTrigger', {}), START, 'cron'],
  ['a parameter that is missing', node('set', {}), PARAMETERS, 'lacks the key "values"'],
  [
    'a parameter that is misspelt',
    node('httpRequest', { ulr: 'https://api.example.com' }),
    PARAMETERS,
    'did you mean "url"?',
  ],
  [
    'two cases of a switch for one value',
    node('switch', {
      value: '{{ body.kind }}',
      cases: [
        { equals: 'a', output: 'a' },
        { equals: 'b', output: 'b' },
        { equals: 'a', output: 'c' },
      ],
    }),
    `${PARAMETERS}/cases/2/equals`,
    'is already the value of /cases/0',
  ],
];

const texts: readonly Mistake[] = [
  [
    'a URL without slashes',
    node('httpRequest', { url: 'https:api.example.com' }),
    `${PARAMETERS}/url`,
    'did you mean "https://api.example.com"?',
  ],
  [
    'a URL with a space in its host',
    node('httpRequest', { url: 'https://api example.com/' }),
    `${PARAMETERS}/url`,
    'is not a URL',
  ],
  [
    'a URL without a host',
    node('httpRequest', { url: 'https:///orders' }),
    `${PARAMETERS}/url`,
    'is not a URL',
  ],
  [
    'a scheme twice',
    node('httpRequest', { url: 'https://https://api.example.com/' }),
    `${PARAMETERS}/url`,
    'repeats its scheme',
  ],
  [
    'a port that there is not',
    node('httpRequest', { url: 'https://api.example.com:99999/' }),
    `${PARAMETERS}/url`,
    'is not a URL',
  ],
  [
    'a bad URL of a feed',
    node('rss', { url: 'https://news,example.com/feed' }),
    `${PARAMETERS}/url`,
    'is not a URL',
  ],
  [
    'a bad URL of GraphQL',
    node('graphql', { url: 'https://?', query: '{ a }' }),
    `${PARAMETERS}/url`,
    'is not a URL',
  ],
  [
    'a method in lower case that is none',
    node('httpRequest', get({ method: 'PSOT' })),
    `${PARAMETERS}/method`,
    'did you mean "POST"?',
  ],
  [
    'a recipient without an @',
    mail({ to: ['ann.example.com'] }),
    `${PARAMETERS}/to/0`,
    'must be an e-mail address',
  ],
  ['a recipient without a domain', mail({ to: ['ann@'] }), `${PARAMETERS}/to/0`, 'must be an e-mail address'],
  [
    'two recipients in one text',
    mail({ to: ['ann@example.com, bob@example.com'] }),
    `${PARAMETERS}/to/0`,
    'must be an e-mail address',
  ],
  ['a sender without an address', mail({ from: 'Shop' }), `${PARAMETERS}/from`, 'must be an e-mail address'],
  ['a recipient without a list', mail({ cc: 'ann@example.com' }), `${PARAMETERS}/cc`, 'must be array'],
  [
    'a user of slack by a bad address',
    withKey('slackFindUser', { email: 'ann' }),
    `${PARAMETERS}/email`,
    'must be an e-mail address',
  ],
  [
    'a JSON pointer without a slash',
    node('httpRequest', get({ pagination: 'page', items: 'data' })),
    `${PARAMETERS}/items`,
    'did you mean "/data"?',
  ],
  [
    'a path with dots in place of a JSON pointer',
    node('httpRequest', get({ pagination: 'cursor', items: '/data', next: 'meta.next' })),
    `${PARAMETERS}/next`,
    'did you mean "/meta/next"?',
  ],
  [
    'a cron expression with six fields',
    trigger('scheduleTrigger', { cron: '0 0 9 * * 1' }),
    `${START}/cron`,
    '',
  ],
  ['a minute that there is not', trigger('scheduleTrigger', { cron: '61 9 * * ? *' }), `${START}/cron`, ''],
  [
    'a rate in the wrong number',
    trigger('scheduleTrigger', { rate: 'every 5 minutes' }),
    `${START}/rate`,
    '',
  ],
  [
    'a time zone that there is not',
    trigger('scheduleTrigger', { rate: '5 minutes', timeZone: 'Europe/Berln' }),
    `${START}/timeZone`,
    '',
  ],
  ['a path of express', webhook({ path: '/users/{id}' }), `${START}/path`, ''],
  ['a time without its zone', node('wait', { until: '2027-01-31 09:00' }), `${PARAMETERS}/until`, 'ISO 8601'],
  [
    'a number in quotes',
    node('limit', { items: '{{ body.list }}', count: '5' }),
    `${PARAMETERS}/count`,
    'did you mean 5, without quotes?',
  ],
  [
    'a list that is a text',
    node('sort', { items: 'body.list' }),
    `${PARAMETERS}/items`,
    'did you mean "{{ body.list }}"?',
  ],
];

const expressions: readonly Mistake[] = [
  [
    '$json',
    node('set', { values: { a: '{{ $json.body.a }}' } }),
    `${PARAMETERS}/values/a`,
    'there is no $json',
  ],
  [
    'a function of JavaScript',
    node('set', { values: { a: '{{ body.a.toLowerCase() }}' } }),
    `${PARAMETERS}/values/a`,
    'did you mean "$lowercase"?',
  ],
  [
    'an operator of JavaScript',
    condition2('{{ body.a === 1 }}'),
    `${PARAMETERS}/condition`,
    '"equals" is written =',
  ],
  [
    'several operators of JavaScript',
    condition2('{{ body.paid && body.a == 1 }}'),
    `${PARAMETERS}/condition`,
    '"and" is written and, "equals" is written =',
  ],
  [
    'an inequality of JavaScript',
    condition2('{{ body.a !== 1 }}'),
    `${PARAMETERS}/condition`,
    '"differs" is written !=',
  ],
  ...(
    [
      [{ successStatus: ['2xx'] }, '/successStatus/0', 'a status such as 404 or a range such as "200-299"'],
      [{ retryStatus: [429, '599-500'] }, '/retryStatus/1', 'a range such as "200-299"'],
      [{ retryStatus: [42] }, '/retryStatus/0', 'a status such as 404'],
      [{ maxResponseBytes: 10_000_000 }, '/maxResponseBytes', 'must be an integer from 1 to 6291456'],
      [{ maxRedirects: 21 }, '/maxRedirects', 'must be an integer from 0 to 20'],
    ] as const
  ).map(
    ([parameters, place, message]) =>
      [
        `a parameter of a call that every run would refuse, ${place}`,
        node('httpRequest', { url: 'https://api.example.com/', ...parameters }),
        `${PARAMETERS}${place}`,
        message,
      ] as const,
  ),
  [
    'an expression without an end',
    node('set', { values: { a: '{{ body.a }' } }),
    `${PARAMETERS}/values/a`,
    'has no matching "}}"',
  ],
  [
    'another node that is not there',
    node('set', { values: { a: '{{ $nodes.strat.body }}' } }),
    `${PARAMETERS}/values/a`,
    'did you mean "$nodes.start.body"?',
  ],
  [
    'a field of the request that is not there',
    node('set', { values: { a: '{{ query.a }}' } }),
    `${PARAMETERS}/values/a`,
    'the request has no "query"',
  ],
  [
    'an expression in a trigger',
    webhook({ path: '/{{ body.a }}' }),
    `${START}/path`,
    "can't contain an expression",
  ],
  ['braces in onlyIf', webhook({ onlyIf: '{{ body.a = 1 }}' }), `${START}/onlyIf`, 'remove the braces'],
  [
    'braces in deduplication',
    webhook({ deduplication: '{{ body.id }}' }),
    `${START}/deduplication`,
    'remove the braces',
  ],
  [
    'a sender that is misspelt',
    webhook({ deduplication: 'stripee' }),
    `${START}/deduplication`,
    'did you mean "stripe"?',
  ],
];

function condition2(text: string) {
  return flow({ start: 'webhookTrigger', it: condition(text), yes: 'noOp' }, [
    'start -> it',
    'it.true -> yes',
  ]);
}

const programs: readonly Mistake[] = [
  [
    'code without a return',
    code('const total = $input.body.total * 2;'),
    `${PARAMETERS}/code`,
    'returns nothing',
  ],
  [
    'a function that returns, and code that does not',
    code('const f = () => { return 1; }; f();'),
    `${PARAMETERS}/code`,
    'returns nothing',
  ],
  ['a return without a value', code('if ($input.ok) { return; }'), `${PARAMETERS}/code`, 'returns nothing'],
  [
    'fetch',
    code("const answer = await fetch('https://api.example.com'); return { answer };"),
    `${PARAMETERS}/code`,
    'the sandbox has no fetch: use an httpRequest node',
  ],
  [
    'require',
    code("const fs = require('fs'); return {};"),
    `${PARAMETERS}/code`,
    'the sandbox has no require',
  ],
  ['import', code("import fs from 'fs'; return {};"), `${PARAMETERS}/code`, ''],
  [
    'a dynamic import',
    code("const fs = await import('fs'); return { fs };"),
    `${PARAMETERS}/code`,
    'the sandbox has no import',
  ],
  ['$json in code', code('return { total: $json.total };'), `${PARAMETERS}/code`, 'did you mean "$input"?'],
  [
    'items of n8n',
    code('return items.map((item) => item.json)[0];'),
    `${PARAMETERS}/code`,
    'the sandbox has no items',
  ],
  [
    'the environment in code',
    code('return { key: process.env.KEY };'),
    `${PARAMETERS}/code`,
    'the sandbox has no process',
  ],
  [
    'a timer in code',
    code('await new Promise((done) => setTimeout(done, 100)); return {};'),
    `${PARAMETERS}/code`,
    'the sandbox has no setTimeout',
  ],
  [
    'a buffer in code',
    code("return { text: Buffer.from($input.text, 'base64').toString() };"),
    `${PARAMETERS}/code`,
    'the sandbox has no Buffer',
  ],
  [
    'an await of a function that is not there',
    code('const order = await loadOrder($input.id); return order;'),
    `${PARAMETERS}/code`,
    'the sandbox has no loadOrder',
  ],
  [
    'a misspelt name in code',
    code('const total = 1; return { total: totl };'),
    `${PARAMETERS}/code`,
    'did you mean "total"?',
  ],
  [
    'a date in a language in code',
    code("const d = new Date(); return { text: d?.toLocaleString('de-DE', { timeZone: 'Europe/Berlin' }) };"),
    `${PARAMETERS}/code`,
    'so toLocaleString fails with arguments for them: format dates with a dateTime node',
  ],
  [
    'a comparison in a language in code',
    code("return { list: $input.list.sort((a, b) => a.localeCompare(b, 'de')) };"),
    `${PARAMETERS}/code`,
    'localeCompare',
  ],
  [
    'Intl in code',
    code("return { text: new Intl.NumberFormat('de').format(5) };"),
    `${PARAMETERS}/code`,
    'the sandbox has no Intl: format dates with a dateTime node',
  ],
  ['code that cannot be read', code('return { total: ;'), `${PARAMETERS}/code`, ''],
  ['$nodes in code', code('return { total: $nodes.calc.total };'), `${PARAMETERS}/code`, '$values'],
];

const fields: readonly Mistake[] = [
  [
    'sorting by a field that the items lack',
    node('sort', { items: [{ total: 1 }, { total: 2 }], by: [{ field: 'totl' }] }),
    `${PARAMETERS}/by/0/field`,
    'did you mean "total"?',
  ],
  [
    'removing duplicates by a field that the items lack',
    node('removeDuplicates', { items: [{ id: 1 }], fields: ['key'] }),
    `${PARAMETERS}/fields/0`,
    'no item has "key"',
  ],
  [
    'a sum of a field that the items lack',
    node('aggregate', { items: [{ total: 1 }], fields: { sum: 'amount' } }),
    `${PARAMETERS}/fields/sum`,
    'no item has "amount"',
  ],
  [
    'splitting a field that the items lack',
    node('splitOut', { items: [{ lines: [] }], field: 'line' }),
    `${PARAMETERS}/field`,
    'did you mean "lines"?',
  ],
  [
    'sorting what a set has put out',
    flow(
      {
        start: 'webhookTrigger',
        list: { type: 'set', parameters: { values: { orders: [{ total: 1 }] } } },
        it: { type: 'sort', parameters: { items: '{{ orders }}', by: [{ field: 'price' }] } },
      },
      ['start -> list', 'list -> it'],
    ),
    '/nodes/2/parameters/by/0/field',
    'no item has "price"',
  ],
  [
    'sorting what another set has put out',
    flow(
      {
        start: 'webhookTrigger',
        list: { type: 'set', parameters: { values: { orders: [{ total: 1 }] } } },
        it: { type: 'sort', parameters: { items: '{{ $nodes.list.orders }}', by: [{ field: 'price' }] } },
      },
      ['start -> list', 'list -> it'],
    ),
    '/nodes/2/parameters/by/0/field',
    'no item has "price"',
  ],
];

const webhooks: readonly Mistake[] = [
  [
    'a form without a schema',
    webhook({ form: true, methods: ['GET', 'POST'] }),
    `${START}/form`,
    'needs a schema',
  ],
  [
    'a form without GET',
    webhook({ form: true, schema: { type: 'object', properties: { a: { type: 'string' } } } }),
    `${START}/form`,
    'needs "methods": ["GET", "POST"]',
  ],
  [
    'onKeyReuse without a key',
    webhook({ onKeyReuse: 'duplicate' }),
    `${START}/onKeyReuse`,
    'needs deduplication',
  ],
  [
    'onKeyReuse with another word',
    webhook({ deduplication: 'body.id', onKeyReuse: 'ignore' }),
    `${START}/onKeyReuse`,
    'must be one of',
  ],
  [
    'a rate limit by callers that are not known',
    webhook({ rateLimit: { requests: 5, seconds: 60, per: 'caller', by: 'credential' } }),
    `${START}/rateLimit/by`,
    'needs the parameter authentication',
  ],
  [
    'an answer that has no effect',
    webhook({ responseMode: 'lastNode', answer: { status: 201 } }),
    `${START}/answer`,
    'has an effect only with responseMode onReceived',
  ],
  [
    'a feature that is misspelt',
    webhook({ ratelimit: { requests: 5, seconds: 60, per: 'path' } }),
    START,
    'did you mean "rateLimit"?',
  ],
  ['a method that there is not', webhook({ method: 'POTS' }), `${START}/method`, 'did you mean "POST"?'],
  [
    'a response mode of n8n',
    webhook({ responseMode: 'responseNodes' }),
    `${START}/responseMode`,
    'did you mean "responseNode"?',
  ],
  [
    'two webhooks at one address',
    flow({ start: 'webhookTrigger', other: 'webhookTrigger', it: 'noOp' }, ['start -> it', 'other -> it']),
    '/nodes/1',
    'as /nodes/0 does',
  ],
  [
    'a page that may call from anywhere, with its cookies',
    webhook({ cors: { origins: ['*'], credentials: true } }),
    `${START}/cors`,
    '',
  ],
  ['a network that is none', webhook({ allowFrom: ['10.0.0.0/33'] }), `${START}/allowFrom/0`, ''],
];

const values = (text: string) => node('set', { values: { a: text } });
/** The trigger's body has a text, a number and a list. */
const typedStart: Node = {
  type: 'webhookTrigger',
  parameters: {
    schema: {
      type: 'object',
      properties: { name: { type: 'string' }, n: { type: 'number' }, list: { type: 'array' } },
    },
  },
};
const typed = (type: string, parameters: JsonObject, others: Readonly<Record<string, string>> = {}) =>
  flow({ start: typedStart, it: { type, parameters }, ...others }, [
    'start -> it',
    ...Object.keys(others).map((id) => `it.${id} -> ${id}`),
  ]);
const once = (parameters: JsonObject) =>
  flow(
    {
      start: 'webhookTrigger',
      it: { type: 'state', parameters: { operation: 'once', ...parameters } },
      yes: 'noOp',
    },
    ['start -> it', 'it.true -> yes'],
  );
const eachItem = (items: JsonValue) =>
  flow(
    {
      start: 'webhookTrigger',
      it: { type: 'forEach', parameters: { items } },
      call: { type: 'code', parameters: { code: 'return $input.item;' } },
    },
    ['start -> it', 'it.each -> call'],
  );

const SAME = 'is the same in every run, since it has no data';
const constants: readonly Mistake[] = [
  [
    'a key in quotes',
    webhook({ deduplication: '"body.id"' }),
    `${START}/deduplication`,
    'did you mean "body.id"?',
  ],
  [
    'a key of texts alone',
    webhook({ deduplication: '"order" & "-1"' }),
    `${START}/deduplication`,
    'all deliveries have the same key, and only the first one runs',
  ],
  ['a key that is true', webhook({ deduplication: 'true' }), `${START}/deduplication`, 'the same key'],
  [
    'a key of the time',
    webhook({ deduplication: '$now("[Y]-[M]-[D]")' }),
    `${START}/deduplication`,
    'only the time, chance or the execution',
  ],
  [
    'a filter of deliveries in quotes',
    webhook({ onlyIf: '"body.id = 1"' }),
    `${START}/onlyIf`,
    'did you mean "body.id = 1"?',
  ],
  [
    'a filter of deliveries that is always true',
    webhook({ onlyIf: '1 = 1' }),
    `${START}/onlyIf`,
    'it is the same for all',
  ],
  ['a key of once without data', once({ key: 'order' }), `${PARAMETERS}/key`, SAME],
  [
    'a key of once without braces',
    once({ key: 'body.id' }),
    `${PARAMETERS}/key`,
    'did you mean "{{ body.id }}"?',
  ],
  [
    'a key of once in quotes',
    once({ key: '{{ "body.id" }}' }),
    `${PARAMETERS}/key`,
    'did you mean "body.id"?',
  ],
  [
    'a key of once without data, for an hour',
    once({ key: '{{ "body.id" }}', ttlSeconds: 3600 }),
    `${PARAMETERS}/key`,
    'did you mean "body.id"?',
  ],
  [
    'items that are the same in every run',
    node('state', { operation: 'newItems', items: ['a'] }),
    `${PARAMETERS}/items`,
    SAME,
  ],
  [
    'items in quotes',
    node('state', { operation: 'markSeen', items: '{{ "body.items" }}' }),
    `${PARAMETERS}/items`,
    `${SAME}: "body.items" in quotes is a text; did you mean "body.items"?`,
  ],
  ['a condition that is always true', condition2('{{ true }}'), `${PARAMETERS}/condition`, SAME],
  [
    'a condition about a text',
    condition2('{{ "body.total" = "5" }}'),
    `${PARAMETERS}/condition`,
    'did you mean "body.total"?',
  ],
  [
    'a condition about a path in quotes',
    condition2('{{ $exists("body.id") }}'),
    `${PARAMETERS}/condition`,
    'did you mean "body.id"?',
  ],
  ['a filter without data', node('filter', { condition: true }), `${PARAMETERS}/condition`, SAME],
  [
    'a switch over a path without braces',
    node('switch', { value: 'body.kind', cases: [] }),
    `${PARAMETERS}/value`,
    'did you mean "{{ body.kind }}"?',
  ],
  ['a switch over a number', node('switch', { value: 1, cases: [] }), `${PARAMETERS}/value`, SAME],
  [
    'a list that is a path in quotes',
    eachItem('{{ "body.list" }}'),
    `${PARAMETERS}/items`,
    'did you mean "body.list"?',
  ],
  [
    'a path in quotes among values',
    values('{{ "body.id" }}'),
    `${PARAMETERS}/values/a`,
    'did you mean "body.id"?',
  ],
  [
    'a path without braces among values',
    values('$trigger.body.id'),
    `${PARAMETERS}/values/a`,
    'did you mean "{{ $trigger.body.id }}"?',
  ],
];

const LETTERS = 'compares texts letter by letter';
const traps: readonly Mistake[] = [
  [
    'two values of one comparison',
    condition2('{{ body.total = 1 or 2 }}'),
    `${PARAMETERS}/condition`,
    'did you mean "body.total in [1, 2]"?',
  ],
  [
    'three values of one comparison',
    condition2('{{ body.kind = "a" or "b" or "c" }}'),
    `${PARAMETERS}/condition`,
    'did you mean "body.kind in ["a", "b", "c"]"?',
  ],
  [
    'a text as a condition',
    condition2('{{ body.ok and "yes" }}'),
    `${PARAMETERS}/condition`,
    '"yes" by itself is always true',
  ],
  [
    'a choice that excludes nothing',
    condition2('{{ body.kind != "a" or body.kind != "b" }}'),
    `${PARAMETERS}/condition`,
    'is always true',
  ],
  [
    'a choice that excludes all',
    condition2('{{ body.n = 1 and body.n = 2 }}'),
    `${PARAMETERS}/condition`,
    'is always false',
  ],
  [
    'a field compared with itself',
    condition2('{{ body.list[id = id] }}'),
    `${PARAMETERS}/condition`,
    'compares id with itself',
  ],
  [
    'a date that begins with the day',
    condition2('{{ body.due < "31/12/2026" }}'),
    `${PARAMETERS}/condition`,
    LETTERS,
  ],
  [
    'a date that is compared with the time',
    condition2('{{ $now() > body.due }}'),
    `${PARAMETERS}/condition`,
    'compare $toMillis(body.due) with $millis()',
  ],
  [
    'a date that is compared with a timestamp',
    condition2('{{ body.due >= "2026-12-31T00:00:00Z" }}'),
    `${PARAMETERS}/condition`,
    'compare $toMillis(body.due) with',
  ],
  [
    'a day that is written before the month',
    condition2('{{ $now("[D01].[M01].[Y]") < body.due }}'),
    `${PARAMETERS}/condition`,
    LETTERS,
  ],
  [
    'a time that is never equal',
    condition2('{{ body.due = $now() }}'),
    `${PARAMETERS}/condition`,
    'it is never equal',
  ],
  [
    'a number in quotes that is greater',
    condition2('{{ body.total > "100" }}'),
    `${PARAMETERS}/condition`,
    '"9" is greater than "10"',
  ],
  [
    'an index from the input',
    node('set', { values: { a: '{{ body.list[body.i] }}' } }),
    `${PARAMETERS}/values/a`,
    'did you mean "$$.body.i"?',
  ],
  [
    'a wanted id from the input',
    node('set', { values: { a: '{{ body.list[id = queryParams.id] }}' } }),
    `${PARAMETERS}/values/a`,
    'did you mean "$$.queryParams.id"?',
  ],
  [
    'the index of a body',
    flow(
      {
        start: 'webhookTrigger',
        all: { type: 'forEach', parameters: { items: '{{ body.list }}' } },
        it: { type: 'set', parameters: { values: { a: '{{ $trigger.body.prices[index] }}' } } },
      },
      ['start -> all', 'all.each -> it'],
    ),
    '/nodes/2/parameters/values/a',
    'did you mean "$$.index"?',
  ],
  [
    'the first letter of a text',
    typed('set', { values: { a: '{{ body.name[0] }}' } }),
    `${PARAMETERS}/values/a`,
    'write $substring(body.name, 0, 1)',
  ],
  [
    'the second letter of a function',
    values('{{ $string(body.x)[1] }}'),
    `${PARAMETERS}/values/a`,
    'takes [ ] of a text',
  ],
  [
    'the last letter of a literal',
    values('{{ "abc"[-1] }}'),
    `${PARAMETERS}/values/a`,
    'takes [ ] of a text',
  ],
  ['a value in quotes', values("'{{ body.name }}'"), `${PARAMETERS}/values/a`, 'write "{{ body.name }}"'],
  [
    'JSON as a text',
    node('httpRequest', get({ method: 'POST', bodyType: 'text', body: '{"name": "{{ body.name }}"}' })),
    `${PARAMETERS}/body`,
    'write the JSON itself',
  ],
  [
    'JSON that is joined',
    values('{{ \'{"name": "\' & body.name & \'"}\' }}'),
    `${PARAMETERS}/values/a`,
    'write the JSON itself',
  ],
  [
    'SQL that is joined',
    aws('athena', 'StartQueryExecution', {
      QueryString: "SELECT * FROM orders WHERE id = '{{ body.id }}'",
      WorkGroup: 'w',
    }),
    `${PARAMETERS}/input/QueryString`,
    'puts values into SQL',
  ],
];

const answered = (parameters: JsonObject) =>
  flow({ start: answering, it: { type: 'respondToWebhook', parameters } }, ['start -> it']);
const switchOver = (value: string, equals: JsonValue) =>
  flow(
    {
      start: typedStart,
      it: { type: 'switch', parameters: { value, cases: [{ equals, output: 'a' }] } },
      a: 'noOp',
    },
    ['start -> it', 'it.a -> a'],
  );

const requests: readonly Mistake[] = [
  ['a body with GET', node('httpRequest', get({ body: { a: 1 } })), `${PARAMETERS}/body`, 'is sent with GET'],
  [
    'a body with HEAD',
    node('httpRequest', get({ method: 'head', body: 'x', bodyType: 'text' })),
    `${PARAMETERS}/body`,
    'is sent with HEAD',
  ],
  [
    'the header of a form on JSON',
    node(
      'httpRequest',
      get({
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: { a: 1 },
      }),
    ),
    `${PARAMETERS}/headers/Content-Type`,
    'set "bodyType": "form"',
  ],
  [
    'the header of XML on JSON',
    node('httpRequest', get({ method: 'POST', headers: { 'content-type': 'text/xml' }, body: '<a/>' })),
    `${PARAMETERS}/headers/content-type`,
    'set "bodyType": "text"',
  ],
  [
    'JSON that is a text',
    node('httpRequest', get({ method: 'POST', body: '{"a": 1}' })),
    `${PARAMETERS}/body`,
    'as one JSON string',
  ],
  [
    'a body with 204',
    answered({ status: 204, body: { ok: true } }),
    `${PARAMETERS}/body`,
    'an answer with 204 has no body',
  ],
  [
    'a body with 304 at once',
    webhook({ answer: { status: 304, body: 'x' } }),
    `${START}/answer/body`,
    'an answer with 304 has no body',
  ],
  [
    'a header of the gateway',
    answered({ headers: { 'Content-Length': '5' } }),
    `${PARAMETERS}/headers/Content-Length`,
    'is set by the gateway',
  ],
  [
    'HTML in the text of a mail',
    mail({ text: '<p>Hi <b>Ann</b></p>' }),
    `${PARAMETERS}/text`,
    'write it into "html"',
  ],
  [
    'detailType',
    trigger('eventTrigger', { pattern: { source: ['aws.s3'], detailType: ['x'] } }),
    `${START}/pattern/detailType`,
    'did you mean "detail-type"?',
  ],
  [
    'data of an event beside its detail',
    trigger('eventTrigger', { pattern: { source: ['shop'], bucket: ['x'] } }),
    `${START}/pattern/bucket`,
    'belong in "detail"',
  ],
  [
    'a list for IN',
    withKey('postgres', { query: 'SELECT 1 FROM a WHERE id IN ($1)', values: ['{{ body.ids }}'] }),
    `${PARAMETERS}/query`,
    'write "= ANY($1)"',
  ],
  [
    'a format by another name',
    body({ properties: { e: { type: 'string', format: 'mail' } } }),
    `${START}/schema/properties/e/format`,
    'did you mean "email"?',
  ],
  [
    'a format that there is not',
    body({ properties: { e: { type: 'string', format: 'phone' } } }),
    `${START}/schema/properties/e/format`,
    'every text is valid',
  ],
];

const switches: readonly Mistake[] = [
  [
    'a text as the case of a number',
    switchOver('{{ body.n }}', '1'),
    `${PARAMETERS}/cases/0/equals`,
    'they are never equal',
  ],
  [
    'a number as the case of a text',
    switchOver('{{ queryParams.n }}', 1),
    `${PARAMETERS}/cases/0/equals`,
    'they are never equal',
  ],
  [
    'a case that leads nowhere',
    flow(
      {
        start: 'webhookTrigger',
        it: {
          type: 'switch',
          parameters: {
            value: '{{ body.k }}',
            cases: [
              { equals: 'a', output: 'a' },
              { equals: 'b', output: 'b' },
            ],
          },
        },
        a: 'noOp',
      },
      ['start -> it', 'it.a -> a'],
    ),
    `${PARAMETERS}/cases/1/output`,
    'nothing is connected to the output "b"',
  ],
];

const call: Node = { type: 'httpRequest', parameters: { url: 'https://api.example.com/' } };
const reading = (text: string): Node => ({ type: 'set', parameters: { values: { a: text } } });
const twoCalls = (others: Readonly<Record<string, string | Node>>, edges: readonly string[]) =>
  flow({ start: 'webhookTrigger', one: call, two: call, ...others }, [
    'start -> one',
    'start -> two',
    ...edges,
  ]);
const clashes: readonly Mistake[] = [
  [
    'two calls into a merge',
    twoCalls({ join: 'merge' }, ['one -> join', 'two -> join']),
    '/nodes/3',
    '"one" and "two" both deliver "status", "headers", "body", "url" to "join"',
  ],
  [
    'two calls into the node that reads',
    twoCalls({ it: reading('{{ body.id }}') }, ['one -> it', 'two -> it']),
    '/nodes/3',
    'read $nodes.one.body, or join them with a merge in the mode "byNode"',
  ],
  [
    'two calls that are read further on',
    twoCalls({ join: 'noOp', it: reading('{{ status }}') }, ['one -> join', 'two -> join', 'join -> it']),
    '/nodes/3',
    'both deliver "status"',
  ],
  [
    'two calls that are read as a node',
    twoCalls({ join: 'merge', it: reading('{{ $nodes.join.body }}') }, [
      'one -> join',
      'two -> join',
      'join -> it',
    ]),
    '/nodes/3',
    'both deliver "body"',
  ],
  [
    'two sets of one field',
    flow(
      {
        start: 'webhookTrigger',
        one: reading('{{ body.a }}'),
        two: reading('{{ body.b }}'),
        it: reading('{{ a }}'),
      },
      ['start -> one', 'start -> two', 'one -> it', 'two -> it'],
    ),
    '/nodes/3',
    'both deliver "a"',
  ],
];

const kinds = {
  requests,
  switches,
  clashes,
  constants,
  traps,
  numbers,
  connections,
  settings,
  credentials,
  schemas,
  operations,
  sql,
  needed,
  texts,
  expressions,
  programs,
  fields,
  webhooks,
};

describe.each(Object.entries(kinds))('of %s', (_kind, mistakes) => {
  test.each(mistakes)('reports %s', async (_mistake, file, path, says) => {
    const { problems, warnings } = await validateWorkflow(JSON.parse(JSON.stringify(file)), findNodeType);
    const found = [...problems, ...warnings];
    expect(found).toContainEqual(
      expect.objectContaining({
        path: expect.stringMatching(new RegExp(`^${path}(/|$)`)),
        message: expect.stringContaining(says),
      }),
    );
    expect(found).toHaveLength(1);
  });
});

describe('what is meant has no warning:', () => {
  test.each<[string, JsonValue]>([
    ['a key of the request', webhook({ deduplication: 'body.id & "-" & headers.`x-part`' })],
    ['a key of the day', once({ key: '{{ $now("[Y0001]-[M01]-[D01]") }}' })],
    ['one execution per hour', once({ key: 'alert', ttlSeconds: 3600 })],
    ['a counter', node('state', { operation: 'increment', key: 'orders' })],
    ['a switch of the stage', condition2('{{ $vars.isOpen = true }}')],
    ['an hour of the day', condition2('{{ $number($now("[H]")) > 8 }}')],
    ['a list that is written out', eachItem(['eu', 'us'])],
    ['a range', eachItem('{{ [1..3] }}')],
    [
      'a choice of two',
      condition2('{{ body.kind != "a" and body.kind != "b" or body.n = 1 or body.n = 2 }}'),
    ],
    [
      'a day in a form that sorts',
      condition2('{{ $now("[Y0001]-[M01]-[D01]") >= body.day or body.day < "2026-12-31" }}'),
    ],
    ['a time of the service', condition2('{{ triggeredAt < $now() and $toMillis(body.due) < $millis() }}')],
    ['a field of each item', values('{{ body.list[paid] & body.list[id = $$.body.id] }}')],
    ['an item of a list', typed('set', { values: { a: '{{ body.list[0] & $split(body.name, " ")[0] }}' } })],
    ['a text in quotes within another', values('The "{{ body.name }}" of {{ body.id }}')],
    ['a path in a text', values('Fill in body.name, please')],
    ['a name of a field', node('sort', { items: '{{ body.list }}', by: [{ field: 'body.total' }] })],
    [
      'an item that one value is compared with',
      withKey('postgres', { query: 'SELECT 1 FROM a WHERE id = ANY($1)', values: ['{{ body.ids }}'] }),
    ],
    [
      'a form',
      node(
        'httpRequest',
        get({
          method: 'POST',
          bodyType: 'form',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: { a: 1 },
        }),
      ),
    ],
    [
      'an event by one of two',
      trigger('eventTrigger', { pattern: { $or: [{ source: ['a'] }, { detail: { b: ['c'] } }] } }),
    ],
    [
      'formats',
      body({
        properties: { a: { type: 'string', format: 'email' }, n: { type: 'integer', format: 'int64' } },
      }),
    ],
    ['a case by its type', switchOver('{{ body.n }}', 1)],
    [
      'two calls into byNode',
      twoCalls(
        { join: { type: 'merge', parameters: { mode: 'byNode' } }, it: reading('{{ one.body & two.body }}') },
        ['one -> join', 'two -> join', 'join -> it'],
      ),
    ],
    [
      'two calls of which nothing is read',
      twoCalls({ it: reading('{{ $nodes.one.body }}') }, ['one -> it', 'two -> it']),
    ],
    [
      'two calls on branches that exclude each other',
      flow(
        {
          start: 'webhookTrigger',
          it: condition('{{ body.ok }}'),
          one: call,
          two: call,
          join: reading('{{ body.id }}'),
        },
        ['start -> it', 'it.true -> one', 'it.false -> two', 'one -> join', 'two -> join'],
      ),
    ],
    [
      'two branches that pass the input on',
      flow(
        {
          start: 'webhookTrigger',
          one: { type: 'set', parameters: { values: { x: 1 }, keepInput: true } },
          two: { type: 'set', parameters: { values: { y: 1 }, keepInput: true } },
          join: reading('{{ body.id & x & y }}'),
        },
        ['start -> one', 'start -> two', 'one -> join', 'two -> join'],
      ),
    ],
    ['an entity tag', node('httpRequest', get({ headers: { 'if-match': '"{{ body.tag }}"' } }))],
  ])('%s', async (_what, file) => {
    const { problems, warnings } = await validateWorkflow(JSON.parse(JSON.stringify(file)), findNodeType);
    expect([...problems, ...warnings]).toEqual([]);
  });
});

test('the names that code may use exist in the sandbox', async () => {
  const text = 'return { names: Object.getOwnPropertyNames(globalThis) }';
  const { names } = (await runNode(codeNode, 'code', { code: text }, {})) as { readonly names: string[] };
  expect(names.toSorted()).toEqual([...SANDBOX_GLOBALS].sort());
});

describe('the table of AWS operations', () => {
  test.each([
    ['dynamodb', dynamodb],
    ['s3', s3],
    ['lambda', lambda],
    ['rds-data', rdsData],
    ['sesv2', sesv2],
    ['bedrock-runtime', bedrockRuntime],
  ])('matches the client %s', async (service, client) => {
    const commands = Object.keys(client).flatMap((name) => /^(\w+)Command$/.exec(name)?.[1] ?? []);
    const line = AWS_OPERATIONS.split('\n').find((text) => text.startsWith(`${service}: `)) ?? '';
    const known = [...line.matchAll(/(\w+)\(/g)].map(([, name = '']) => name);
    // The SDK may be newer than the one that the table is made of, or older.
    const missing = commands.filter((name) => !known.includes(name));
    expect(missing.length / commands.length).toBeLessThan(0.1);
    const surplus = known.filter((name) => !commands.includes(name));
    expect(surplus.length / commands.length).toBeLessThan(0.1);
  });
});
