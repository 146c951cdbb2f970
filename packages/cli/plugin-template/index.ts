import { closed, defineAction, definePlugin, NodeError, Type } from '@hookloom/plugin-kit';
import * as Given from '@hookloom/plugin-kit/given';

/** A node type without side effects: it computes its output from its parameters and its input. */
export const greet = defineAction({
  id: 'pluginTemplateGreet',
  name: 'Greet',
  description: 'Greets by name',
  pure: true,
  parameters: Type.Object({
    name: Type.String({ minLength: 1, description: 'Name of the greeted person' }),
    greeting: Type.String({ default: 'Hello', description: 'The words before the name' }),
  }),
  outputs: { main: Given.merged(Given.input, closed({ text: Type.String() })) },
  example: {
    parameters: { name: 'Ada' },
    input: { orderId: 7 },
    output: { orderId: 7, text: 'Hello, Ada' },
  },
  execute: ({ parameters: { name, greeting }, input }) => ({ ...input, text: `${greeting}, ${name}` }),
});

/** A node type that calls out: a step with attempts, whose HTTP client adds the credential and refuses private addresses. */
export const send = defineAction({
  id: 'pluginTemplateSend',
  name: 'Send',
  description: 'Sends text to a URL',
  parameters: Type.Object({
    url: Type.String({ pattern: '^https?://', description: 'URL of the receiver' }),
    text: Type.String({ maxLength: 4_000, description: 'The text' }),
  }),
  outputs: { main: closed({ status: Type.Integer() }) },
  credentials: { types: ['httpBearer'], required: true },
  example: {
    parameters: { url: 'https://receiver.example/texts', text: 'Order {{ orderId }} has arrived' },
    input: { orderId: 7 },
    output: { status: 202 },
  },
  execute: async ({ parameters: { url, text }, credential, context }) => {
    const { status } = await context.services.http.request({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', 'idempotency-key': context.idempotencyKey },
      body: JSON.stringify({ text }),
      credential,
      timeoutMs: context.remainingMs(),
      maxRedirects: 0,
      maxResponseBytes: 65_536,
      signal: context.signal,
    });
    if (status >= 400) {
      // Another attempt may help when the receiver is busy or broken, not when it refuses the request.
      const isRetryable = status === 429 || status >= 500;
      throw new NodeError(`the receiver answered ${status}`, { isRetryable, details: { status } });
    }
    return { status };
  },
});

export default definePlugin({
  id: 'plugin-template',
  name: 'Plugin template',
  version: '0.1.0',
  description: 'Greets, and sends texts',
  category: 'example',
  handles: [greet, send],
});
