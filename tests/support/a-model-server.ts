import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import {
  aLocalHttp2Server,
  aLocalServer,
  type LocalServer,
  type ReceivedRequest,
  type Routes,
} from './a-local-server.ts';

/** What a model answers, in no provider's format; or an answer of its server as it is. */
export type ModelAnswer =
  | {
      readonly text?: string;
      /** As the input of a tool, where the provider has that. */
      readonly value?: JsonValue;
      readonly finish?: 'stop' | 'length' | 'refusal';
    }
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body: string }
  | 'hang';

type Content = Extract<ModelAnswer, { readonly value?: JsonValue }>;

/** What an answer of each provider looks like, by its public reference; and how it says that a prompt is too long. */
interface Dialect {
  readonly path: string;
  toBody(answer: Content): JsonObject;
  readonly tooLong: JsonObject;
}

export const dialects = {
  openai: {
    path: '/v1/chat/completions',
    toBody: ({ text, value, finish = 'stop' }) => ({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1_760_000_000,
      model: 'model-1-2026',
      choices: [
        {
          index: 0,
          finish_reason: finish === 'length' ? 'length' : 'stop',
          message: {
            role: 'assistant',
            content: finish === 'refusal' ? null : (text ?? JSON.stringify(value)),
            refusal: finish === 'refusal' ? (text ?? 'No.') : null,
          },
        },
      ],
      usage: {
        prompt_tokens: 20,
        completion_tokens: 5,
        total_tokens: 25,
        prompt_tokens_details: { cached_tokens: 0 },
      },
    }),
    tooLong: {
      error: {
        message: "This model's maximum context length is 8192 tokens.",
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
    },
  },
  anthropic: {
    path: '/v1/messages',
    toBody: ({ text, value, finish = 'stop' }) => ({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'model-1-2026',
      content: [
        ...(text === undefined ? [] : [{ type: 'text', text }]),
        ...(value === undefined ? [] : [{ type: 'tool_use', id: 'toolu_1', name: 'answer', input: value }]),
      ],
      stop_reason: {
        stop: value === undefined ? 'end_turn' : 'tool_use',
        length: 'max_tokens',
        refusal: 'refusal',
      }[finish],
      stop_sequence: null,
      usage: { input_tokens: 20, output_tokens: 5, cache_read_input_tokens: 0 },
    }),
    tooLong: {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 212392 tokens > 200000 maximum' },
    },
  },
  bedrock: {
    path: '/model/model-1/converse',
    toBody: ({ text, value, finish = 'stop' }) => ({
      output: {
        message: {
          role: 'assistant',
          content: [
            ...(text === undefined ? [] : [{ text }]),
            ...(value === undefined
              ? []
              : [{ toolUse: { toolUseId: 'tooluse_1', name: 'answer', input: value } }]),
          ],
        },
      },
      stopReason: {
        stop: value === undefined ? 'end_turn' : 'tool_use',
        length: 'max_tokens',
        refusal: 'content_filtered',
      }[finish],
      usage: { inputTokens: 20, outputTokens: 5, totalTokens: 25, cacheReadInputTokens: 0 },
      metrics: { latencyMs: 100 },
    }),
    tooLong: { message: 'Input is too long for requested model.' },
  },
} as const satisfies Readonly<Record<string, Dialect>>;

export type Provider = keyof typeof dialects;

export interface ModelServer extends Pick<LocalServer, 'origin' | 'close'> {
  /** For Bedrock, whose client speaks HTTP/2. */
  readonly http2Origin: string;
  /** The next answers, in their order. */
  readonly answers: ModelAnswer[];
  /** The requests since the last call. */
  takeRequests(): ReceivedRequest[];
  /** Their bodies. */
  takeQuestions(): JsonObject[];
}

/** A server that speaks the formats of all providers. */
export const aModelServer = async (): Promise<ModelServer> => {
  const answers: ModelAnswer[] = [];
  const routes: Routes = Object.fromEntries(
    Object.values(dialects).map(({ path, toBody }: Dialect) => [
      path,
      (_request, response) => {
        const answer = answers.shift() ?? { status: 500, body: 'no answer is left' };
        if (answer === 'hang') return;
        const { status, headers = {}, body } = 'status' in answer ? answer : toResponse(toBody(answer));
        response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
      },
    ]),
  );
  const [server, http2Server] = await Promise.all([aLocalServer(routes), aLocalHttp2Server(routes)]);
  const takeRequests = () => [server, http2Server].flatMap(({ received }) => received.splice(0));
  return {
    origin: server.origin,
    http2Origin: http2Server.origin,
    answers,
    takeRequests,
    takeQuestions: () => takeRequests().map(({ body }) => JSON.parse(body)),
    close: async () => {
      await Promise.all([server.close(), http2Server.close()]);
    },
  };
};

const toResponse = (body: JsonObject) => ({ status: 200, headers: {}, body: JSON.stringify(body) });
