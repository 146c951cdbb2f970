import { closed, defineAction, definePlugin, Type } from '@hookloom/plugin-kit';
import * as Given from '@hookloom/plugin-kit/given';
import { askModel } from './ask-model.ts';
import { credentialTypesOf, findProblems, parameters } from './parameters.ts';

const answer = {
  text: Type.String(),
  finishReason: Type.String(),
  usage: Type.Record(Type.String(), Type.Number()),
  model: Type.String(),
  provider: Type.String(),
};

export const llm = defineAction({
  id: 'llm',
  name: 'Language model',
  description:
    'Asks a language model, and checks its answer against a JSON Schema. Outputs { text, json, finishReason, usage, model, provider }; json only with a schema. The node calls no tools. Models can be slow: raise settings.timeoutSeconds',
  outputs: {
    main: Given.ifGiven('schema', closed({ ...answer, json: Given.schemaIn('schema') }), closed(answer)),
  },
  credentials: {
    types: credentialTypesOf(null),
    // A self-hosted server may accept requests without one.
    required: ({ provider, baseUrl }) =>
      baseUrl === undefined && (provider === 'openai' || provider === 'anthropic'),
  },
  credentialTypesFor: ({ provider }) => credentialTypesOf(provider),
  parameters,
  checkParameters: (stored) => findProblems(stored),
  awsCalls: ({ provider, model, region }) =>
    provider === 'bedrock'
      ? [
          {
            service: 'bedrock-runtime',
            operation: 'Converse',
            input: { modelId: model },
            ...(typeof region === 'string' ? { region } : {}),
          },
        ]
      : [],
  example: {
    parameters: {
      provider: 'openai',
      model: 'gpt-5-mini',
      prompt: 'What does this customer want? {{ body.text }}',
      schema: {
        type: 'object',
        required: ['intent'],
        properties: { intent: { enum: ['order', 'complaint', 'other'] } },
      },
    },
    input: { body: { text: 'My tea has not arrived.' } },
    output: {
      text: '{"intent":"complaint"}',
      finishReason: 'stop',
      usage: { inputTokens: 61, outputTokens: 7 },
      model: 'gpt-5-mini-2025-08-07',
      provider: 'openai',
      json: { intent: 'complaint' },
    },
  },
  execute: ({ parameters: given, context }) => askModel(given, context),
});

export default definePlugin({
  id: 'llm',
  name: 'Language models',
  version: '1.0.0',
  description: 'Asks language models of OpenAI, Anthropic, Amazon Bedrock and compatible providers',
  category: 'ai',
  handles: [llm],
});
