import type { JsonObject, NodeSettings } from '@hookloom/plugin-kit';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openAwsClient } from '../../../lib/adapters/aws-sdk/aws-client.chunk.ts';
import { createHttpClient } from '../../../lib/adapters/http-client/http-client.chunk.ts';
import { systemClock } from '../../../lib/adapters/runtime/system-clock.ts';
import { execute } from '../../../lib/engine/execute.ts';
import { inlineSteps } from '../../../lib/engine/steps.ts';
import { compilePlan } from '../../../lib/workflows/plan/compile-plan.ts';
import { llm } from '../../../nodes/llm/llm.plugin.ts';
import { aModelServer, dialects, type ModelServer, type Provider } from '../../support/a-model-server.ts';
import { aNodeContext } from '../../support/a-node-context.ts';
import { aGraph, noOtherWorkflows, silent } from '../../support/a-run.ts';
import { anExecutionInfo } from '../../support/an-execution-info.ts';
import { inMemoryFiles } from '../../support/in-memory-files.ts';
import { anOutboundService } from '../../support/outbound-credentials.ts';

const SECRET = 'sk-secret/"1"+';

const service = anOutboundService({ http: createHttpClient({ allow: ['127.0.0.1'] }) });
await service.put('bearer', 'httpBearer', { token: SECRET });
await service.put('header', 'httpHeader', { value: SECRET }, { name: 'X-Api-Key' });
Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: SECRET });
const files = inMemoryFiles();

let server: ModelServer;
let aws: ReturnType<typeof openAwsClient>;
beforeEach(async () => {
  server = await aModelServer();
  process.env.AWS_ENDPOINT_URL_BEDROCK_RUNTIME = server.http2Origin;
  aws = openAwsClient({ region: 'eu-north-1', role: null });
});
afterEach(() => server.close());

const providers = Object.keys(dialects) as Provider[];
const toBase: Readonly<
  Record<Provider, (origin: string) => { readonly parameters: JsonObject; readonly credentialId?: string }>
> = {
  openai: (origin) => ({ parameters: { baseUrl: `${origin}/v1` }, credentialId: 'bearer' }),
  anthropic: (origin) => ({ parameters: { baseUrl: origin }, credentialId: 'header' }),
  bedrock: () => ({ parameters: {} }),
};

/** Runs the node in the engine, by the real client of its provider. */
const ask = async (provider: Provider, parameters: JsonObject = {}, settings: NodeSettings = {}) => {
  const { definition, findNodeType } = aGraph({
    nodes: { ask: { pure: false, does: llm.execute, settings } },
    edges: ['start -> ask'],
  });
  const base = toBase[provider](server.origin);
  const { credentialId } = base;
  const given = {
    provider,
    model: 'model-1',
    prompt: 'How much?',
    ...base.parameters,
    ...parameters,
  };
  const nodes = definition.nodes.map((node) =>
    node.id === 'ask'
      ? { ...node, parameters: given, ...(credentialId === undefined ? {} : { credentialId }) }
      : node,
  );
  const findWithCredentials: typeof findNodeType = (type) => {
    const found = findNodeType(type);
    return found === null ? null : { ...found, credentialTypes: llm.credentialTypes ?? [] };
  };
  const { nodes: records } = await execute(
    compilePlan({ ...definition, nodes }, findWithCredentials),
    {
      execution: anExecutionInfo(systemClock.now()),
      input: {},
      limits: { timeoutMs: 60_000, maxNodeRuns: 10, maxOutputBytes: 1_000_000 },
    },
    {
      services: { clock: systemClock, ids: { next: () => 'id' }, http: service.credentials, aws },
      openFiles: () => files,
      credentials: service.credentials,
      logger: silent,
      steps: inlineSteps(systemClock),
      workflows: noOtherWorkflows,
      callbacks: null,
    },
  );
  const record = records.find(({ nodeId }) => nodeId === 'ask');
  expect(JSON.stringify(record)).not.toContain(SECRET.slice(0, 9));
  const { main } = (record?.outputs ?? {}) as { readonly main?: JsonObject };
  return { record, output: main, failure: record?.failure };
};

const schema = {
  type: 'object',
  required: ['total'],
  additionalProperties: false,
  properties: { total: { type: 'integer' } },
};
const usage = { inputTokens: 20, outputTokens: 5, cacheReadTokens: 0 };

const withoutAnswer: Readonly<Record<Provider, Readonly<Record<string, unknown>>>> = {
  openai: {
    'an empty map': {},
    'a list': [],
    'a text': 'ok',
    'an error': { error: { message: 'overloaded' } },
    'no choice': { choices: [], usage: { completion_tokens: 0 } },
    'choices that are no list': { choices: { message: { content: 'x' } } },
    'a choice that is no map': { choices: ['x'] },
    'no message': { choices: [{ finish_reason: 'length' }] },
    'a message without content': { choices: [{ finish_reason: 'stop', message: { role: 'assistant' } }] },
    'calls of tools alone': {
      choices: [{ finish_reason: 'tool_calls', message: { content: null, tool_calls: [{}] } }],
    },
    'content that is no text': { choices: [{ finish_reason: 'stop', message: { content: 7 } }] },
    'an empty text': dialects.openai.toBody({ text: '' }),
  },
  anthropic: {
    'an empty map': {},
    'a list': [],
    'an error': { type: 'error', error: { message: 'overloaded' } },
    'no block': { content: [], stop_reason: 'end_turn' },
    'content that is no list': { content: 'x', stop_reason: 'end_turn' },
    'no content, at the limit': { stop_reason: 'max_tokens' },
    'blocks that are no maps': { content: ['x'], stop_reason: 'end_turn' },
    'thoughts alone': { content: [{ type: 'thinking', thinking: 'hm' }], stop_reason: 'end_turn' },
    'an empty text': dialects.anthropic.toBody({ text: '' }),
  },
  bedrock: {
    'an empty map': {},
    'no message': { output: {}, stopReason: 'end_turn' },
    'no message, at the limit': { output: {}, stopReason: 'max_tokens' },
    'no block': { output: { message: { role: 'assistant', content: [] } }, stopReason: 'end_turn' },
    'an empty text': dialects.bedrock.toBody({ text: '' }),
  },
};

describe.each(providers)('%s', (provider) => {
  test('answers with text and its token usage', async () => {
    server.answers.push({ text: 'Seven.' });
    const { output, record } = await ask(provider, { system: 'Be brief.', stop: ['!'], temperature: 0 });
    expect(output).toEqual({
      text: 'Seven.',
      finishReason: 'stop',
      usage,
      model: provider === 'bedrock' ? 'model-1' : 'model-1-2026',
      provider,
    });
    expect(record?.usage).toEqual({ questions: 1, ...usage });
    const [sent] = server.takeRequests();
    expect(sent?.headers).toMatchObject(sentHeaders[provider]);
    expect(JSON.parse(sent?.body ?? '')).toEqual(sentText[provider]);
  });

  test('counts what its tokens cost by the prices that the author gives', async () => {
    server.answers.push({ text: 'Seven.' });
    const { record } = await ask(provider, { tokenPrices: { inputTokens: 3, outputTokens: 15 } });
    expect(record?.usage).toEqual({ questions: 1, ...usage, microDollars: 20 * 3 + 5 * 15 });
  });

  test('is asked for JSON in the provider’s own way', async () => {
    server.answers.push({ value: { total: 7 } });
    const { output } = await ask(provider, { schema });
    expect(output).toMatchObject({ json: { total: 7 } });
    expect(server.takeQuestions()).toMatchObject([sentSchema[provider]]);
  });

  test('is asked again with what does not match the schema', async () => {
    server.answers.push({ value: { total: 'seven' } }, { value: { total: 7 } });
    const { output, record } = await ask(provider, { schema });
    expect(output).toMatchObject({ json: { total: 7 }, usage: { inputTokens: 40, outputTokens: 10 } });
    expect(record?.usage).toMatchObject({ questions: 2, inputTokens: 40 });
    const [, second] = server.takeQuestions();
    expect(JSON.stringify(second)).toContain('{\\"total\\":\\"seven\\"}');
    expect(JSON.stringify(second)).toContain('at /total: ');
  });

  test('fails with the violations when the second answer does not match either', async () => {
    server.answers.push({ value: { total: 'seven' } }, { value: { sum: 7 } });
    const { failure, record } = await ask(provider, { schema });
    expect(failure).toMatchObject({
      name: 'AnswerMismatchError',
      message: expect.stringMatching(/^the answer does not match the schema: .*\(required\)/),
      details: { answer: '{"sum":7}', finishReason: 'stop', usage: { outputTokens: 10 } },
    });
    expect(record?.usage).toMatchObject({ questions: 2, outputTokens: 10 });
  });

  test('fails when its answer is not JSON', async () => {
    server.answers.push({ text: 'It is seven.' }, { text: '' });
    expect(await ask(provider, { schema })).toMatchObject({
      failure: { name: 'AnswerNotJsonError', details: { answer: '' } },
    });
    const [, second] = server.takeQuestions();
    expect(JSON.stringify(second)).toContain('That was not JSON.');
  });

  test('fails when its answer is truncated, without asking again', async () => {
    server.answers.push({ text: '{"total": ', finish: 'length' });
    expect(await ask(provider, { schema, maxTokens: 5 })).toMatchObject({
      failure: {
        name: 'AnswerTruncatedError',
        message: 'the answer was cut off before its JSON was complete: raise maxTokens (5), or ask for less',
      },
    });
    expect(server.takeQuestions()).toHaveLength(1);
  });

  test('fails when it refuses', async () => {
    server.answers.push({ text: 'I cannot help with that.', finish: 'refusal' });
    expect(await ask(provider)).toMatchObject({
      failure: { name: 'ModelRefusedError', details: { answer: 'I cannot help with that.' } },
      record: { usage: { outputTokens: 5 } },
    });
  });

  test('is asked again as the retry settings say when it is overloaded', async () => {
    const body = JSON.stringify({ message: 'Too many requests', error: { type: 'overloaded_error' } });
    for (const status of [429, 503, ...(provider === 'bedrock' ? [] : [529])])
      server.answers.push({ status, headers: { 'retry-after': '0' }, body });
    server.answers.push({ text: 'Seven.' });
    const retry = { maxAttempts: 4, intervalSeconds: 0.001 };
    expect(await ask(provider, {}, { retry })).toMatchObject({ output: { text: 'Seven.' } });
  });

  test('is not asked again when the prompt is too long', async () => {
    const headers = { 'x-amzn-errortype': 'ValidationException' };
    server.answers.push({ status: 400, headers, body: JSON.stringify(dialects[provider].tooLong) });
    const retry = { maxAttempts: 2, intervalSeconds: 0.001 };
    expect(await ask(provider, {}, { retry })).toMatchObject({
      failure: { name: 'ContextTooLongError', details: { status: 400 } },
    });
    expect(server.takeQuestions()).toHaveLength(1);
  });

  test('fails within its time when there is no answer', async () => {
    server.answers.push('hang');
    expect(await ask(provider, {}, { timeoutSeconds: 0.1 })).toMatchObject({
      failure: { name: 'TimeoutError' },
    });
  });

  test('fails when the answer is too large', async () => {
    const body = JSON.stringify(dialects[provider].toBody({ text: 'x'.repeat(10_000_000) }));
    server.answers.push({ status: 200, body });
    expect(await ask(provider)).toMatchObject({ failure: { message: expect.stringContaining('4194304') } });
  });

  test('fails when the response is not JSON at all', async () => {
    server.answers.push({ status: 200, headers: { 'content-type': 'text/html' }, body: '<p>Hello' });
    expect(await ask(provider)).toMatchObject({ record: { status: 'failed' } });
  });

  test.each(Object.entries(withoutAnswer[provider]))(
    'fails when there is no answer in the response: %s',
    async (_case, body) => {
      for (const parameters of [{}, { schema, repairs: 0 }]) {
        server.answers.push({ status: 200, body: JSON.stringify(body) });
        expect(await ask(provider, parameters)).toMatchObject({
          output: undefined,
          record: { status: 'failed', usage: { questions: 1 } },
          failure: { name: expect.stringMatching(/^(NoAnswerError|AnswerNotJsonError)$/) },
        });
      }
    },
  );

  test('shows the unexpected response, and is asked again as the retry settings say', async () => {
    const body = { error: { message: 'The model is being loaded', code: 503 } };
    const retry = { maxAttempts: 2, intervalSeconds: 0.001 };
    server.answers.push({ status: 200, body: JSON.stringify(body) }, { text: 'Seven.' });
    expect(await ask(provider, {}, { retry })).toMatchObject({ output: { text: 'Seven.' } });
    if (provider === 'bedrock') return; // its client drops what it does not know
    server.answers.push({ status: 200, body: JSON.stringify(body) });
    expect(await ask(provider)).toMatchObject({
      failure: { name: 'NoAnswerError', details: { answer: expect.stringContaining('being loaded') } },
    });
  });

  test('may use up its tokens before the first word', async () => {
    server.answers.push({ text: '', finish: 'length' });
    expect(await ask(provider)).toMatchObject({ output: { text: '', finishReason: 'length' } });
  });

  test('receives images and documents', async () => {
    const image = await files.save(chunk('png'), { name: 'a.png', mediaType: 'image/png' });
    const pdf = await files.save(chunk('pdf'), { name: 'b.pdf', mediaType: 'application/pdf' });
    server.answers.push({ text: 'A receipt.' });
    expect(await ask(provider, { files: [image, pdf] })).toMatchObject({ output: { text: 'A receipt.' } });
    const sent = JSON.stringify(server.takeQuestions());
    for (const text of ['png', 'pdf']) expect(sent).toContain(Buffer.from(text).toString('base64'));
  });
});

const chunk = async function* (text: string) {
  yield Buffer.from(text);
};

const sentHeaders: Readonly<Record<Provider, object>> = {
  openai: { authorization: `Bearer ${SECRET}` },
  anthropic: { 'x-api-key': SECRET, 'anthropic-version': '2023-06-01' },
  bedrock: { authorization: expect.stringContaining('/eu-north-1/bedrock/aws4_request') },
};

const sentText: Readonly<Record<Provider, object>> = {
  openai: {
    model: 'model-1',
    max_tokens: 4_096,
    temperature: 0,
    stop: ['!'],
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'How much?' },
    ],
  },
  anthropic: {
    model: 'model-1',
    max_tokens: 4_096,
    temperature: 0,
    stop_sequences: ['!'],
    system: 'Be brief.',
    messages: [{ role: 'user', content: 'How much?' }],
  },
  bedrock: {
    system: [{ text: 'Be brief.' }],
    inferenceConfig: { maxTokens: 4_096, temperature: 0, stopSequences: ['!'] },
    messages: [{ role: 'user', content: [{ text: 'How much?' }] }],
  },
};

const sentSchema: Readonly<Record<Provider, object>> = {
  openai: {
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: false } },
  },
  anthropic: {
    tools: [{ name: 'answer', input_schema: schema }],
    tool_choice: { type: 'tool', name: 'answer' },
  },
  bedrock: {
    toolConfig: {
      tools: [{ toolSpec: { name: 'answer', inputSchema: { json: schema } } }],
      toolChoice: { tool: { name: 'answer' } },
    },
  },
};

describe('an answer', () => {
  test.each([
    ['in a code fence', '```json\n{"total": 7}\n```'],
    ['in a code fence between words', 'Here it is:\n```\n{"total": 7}\n```\nAnything else?'],
    ['with blanks around it', '\n {"total": 7}\n'],
  ])('%s is JSON', async (_case, text) => {
    server.answers.push({ text });
    expect(await ask('openai', { schema })).toMatchObject({ output: { text, json: { total: 7 } } });
  });

  test.each(['```', '```\n```', '``` {"total": 7} ```', '{"total": 7} {"total": 8}'])(
    '%j is not JSON',
    async (text) => {
      server.answers.push({ text });
      expect(await ask('openai', { schema, repairs: 0 })).toMatchObject({
        failure: { name: 'AnswerNotJsonError' },
      });
    },
  );

  test('without a schema may be truncated', async () => {
    server.answers.push({ text: 'It is', finish: 'length' });
    expect(await ask('openai')).toMatchObject({ output: { text: 'It is', finishReason: 'length' } });
  });

  test('that is nested too deeply is a violation shown to the model', async () => {
    const text = `{"total":${'['.repeat(5_000)}${']'.repeat(5_000)}}`;
    server.answers.push({ text }, { text: '{"total": 7}' });
    const list = { type: 'array', items: { $ref: '#/$defs/list' } };
    const deep = {
      type: 'object',
      $defs: { list },
      properties: { total: { anyOf: [{ type: 'integer' }, list] } },
    };
    expect(await ask('openai', { schema: deep })).toMatchObject({ output: { json: { total: 7 } } });
  });
});

describe('a failure', () => {
  test.each([
    [429, { error: { code: 'insufficient_quota', type: 'insufficient_quota' } }, 'NoCreditError'],
    [400, { error: { code: 'content_filter', message: 'filtered' } }, 'ModelRefusedError'],
    [401, { error: { code: 'invalid_api_key', message: 'Incorrect API key' } }, 'HttpStatusError'],
  ])('%d with %j is not retried, and is named %s', async (status, body, name) => {
    server.answers.push({ status, body: JSON.stringify(body) });
    const settings = { retry: { maxAttempts: 2, intervalSeconds: 0.001 } };
    expect(await ask('openai', {}, settings)).toMatchObject({ failure: { name, details: { status, body } } });
  });

  test('does not quote a key that the server returns', async () => {
    server.answers.push({ status: 400, body: JSON.stringify({ error: { message: `bad ${SECRET}` } }) });
    expect(await ask('openai')).toMatchObject({ failure: { name: 'HttpStatusError' } });
  });
});

describe('parameters', () => {
  test('options override fields of the request, and null removes one', async () => {
    server.answers.push({ text: 'Seven.' });
    const options = { max_tokens: null, max_completion_tokens: 9, top_p: 0.5 };
    await ask('openai', { options });
    const [sent] = server.takeQuestions();
    expect(sent).toMatchObject({ max_completion_tokens: 9, top_p: 0.5 });
    expect(sent).not.toHaveProperty('max_tokens');
  });

  test('a conversation is sent unchanged, and its last message has the files', async () => {
    const image = await files.save(chunk('png'), { name: 'a.png', mediaType: 'image/png' });
    server.answers.push({ text: 'Seven.' });
    const messages = [
      { role: 'user', content: 'How much?' },
      { role: 'assistant', content: 'Of what?' },
      { role: 'user', content: 'Of this.' },
    ];
    const context = {
      ...aNodeContext(),
      services: { ...aNodeContext().services, http: service.credentials, files },
    };
    const parameters = {
      provider: 'openai',
      model: 'm',
      messages,
      files: [image],
      baseUrl: `${server.origin}/v1`,
    };
    await llm.execute({ id: 'ask', type: 'llm', parameters }, {}, context);
    expect(server.takeQuestions()).toMatchObject([
      {
        messages: [
          messages[0],
          messages[1],
          { content: [{ type: 'image_url' }, { type: 'text', text: 'Of this.' }] },
        ],
      },
    ]);
  });

  test.each<[string, JsonObject, string]>([
    ['no question', { prompt: null }, 'Parameter "prompt" must be a string'],
    ['two questions', { messages: [{ role: 'user', content: 'a' }] }, 'Parameter "messages" must be absent'],
    ['a schema of a list', { schema: { type: 'array' } }, 'Parameter "schema" must have "type": "object"'],
    [
      'a schema that cannot be checked',
      { schema: { type: 'object', properties: { a: { pattern: '(?=a)' } } } },
      'Parameter "schema',
    ],
    ['a file that is none', { files: [{ name: 'a' }] }, 'Parameter "files[0]" must be a file, got object'],
    ['a base URL that is none', { baseUrl: 'http://' }, 'Parameter "baseUrl" is not an absolute URL'],
  ])('%s is refused before a model is asked', async (_case, parameters, message) => {
    expect(await ask('openai', parameters)).toMatchObject({
      failure: { message: expect.stringContaining(message) },
    });
    expect(server.takeQuestions()).toEqual([]);
  });
});
