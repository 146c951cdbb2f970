import { type NodeTest, nodeTypeChecks } from '@hookloom/plugin-kit/testing';
import { describe, test } from '@jest/globals';
import { httpBearer } from '../../../nodes/credential-types/http-types.ts';
import { llm } from '../../../nodes/llm/llm.plugin.ts';
import { dialects } from '../../support/a-model-server.ts';

const example: NodeTest = {
  parameters: { provider: 'openai', model: 'model-1', prompt: 'How much?' },
  credential: { type: httpBearer, fields: { token: 'an-invented-key' } },
  http: [
    {
      request: {
        method: 'POST',
        url: 'https://api.openai.com/v1/chat/completions',
        headers: { authorization: 'Bearer an-invented-key' },
        json: {
          model: 'model-1',
          messages: [{ role: 'user', content: 'How much?' }],
          max_completion_tokens: 4_096, // the name that the newer models of OpenAI itself want
        },
      },
      answer: { json: dialects.openai.toBody({ text: 'Seven.' }) },
    },
  ],
};

describe('llm follows the contract of node types:', () => {
  for (const { name, run } of nodeTypeChecks(llm, example)) test(name, run);
});
