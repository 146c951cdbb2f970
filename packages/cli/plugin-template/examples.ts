import type { NodeTest } from '@hookloom/plugin-kit/testing';

/** A successful run of each node type. The tests and `plugin check` execute them. */
const examples: Readonly<Record<string, NodeTest>> = {
  pluginTemplateGreet: {
    parameters: { name: 'Ada' },
    input: { orderId: 7 },
  },
  pluginTemplateSend: {
    parameters: { url: 'https://receiver.example/texts', text: 'Hello' },
    credential: { type: 'httpBearer', fields: { token: 'an-invented-token' } },
    http: [
      {
        request: { method: 'POST', url: 'https://receiver.example/texts', json: { text: 'Hello' } },
        answer: { status: 202 },
      },
    ],
  },
};

export default examples;
