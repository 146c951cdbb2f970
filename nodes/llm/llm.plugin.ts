import { definePlugin } from '@hookloom/plugin-kit';
import { llm } from './llm.ts';

/** Language models; what talks to their providers is loaded on use. */
export default definePlugin({
  id: 'llm',
  name: 'Language models',
  version: '1.0.0',
  description: 'Asks language models of OpenAI, Anthropic, Amazon Bedrock, and what is compatible with them',
  category: 'ai',
  handles: [llm],
});
