import {
  callJsonApi,
  type JsonObject,
  type JsonValue,
  type NodeContext,
  NodeError,
} from '@hookloom/plugin-kit';
import { toNoAnswer } from './check-answer.ts';
import {
  ANSWER_NAME,
  type Answer,
  type AskProvider,
  type Attachment,
  addPath,
  type FinishReason,
  hasList,
  MAX_ANSWER_BYTES,
  mapAt,
  mapsAt,
  type Question,
  type Turn,
  textAt,
  toUsage,
  withOptions,
} from './question.ts';

const BASE_URL = 'https://api.anthropic.com';
const KEY_HEADER = 'x-api-key';

/** Asks Anthropic's Messages API: https://docs.anthropic.com/en/api/messages */
export const askAnthropic: AskProvider = async (question, context) => {
  const { baseUrl } = question;
  if (baseUrl === undefined) checkHeader(context);
  const call = {
    method: 'POST',
    url: addPath(baseUrl ?? BASE_URL, '/v1/messages'),
    headers: { 'anthropic-version': '2023-06-01' },
    body: toRequest(question),
    maxResponseBytes: MAX_ANSWER_BYTES,
  };
  const { body } = await callJsonApi(call, context);
  return readAnswer(body);
};

/**
 * Checks the header of the key. A gateway may take its key in another header; Anthropic would get a secret that is not
 * meant for it.
 */
const checkHeader = ({ credential }: NodeContext): void => {
  if (credential?.type !== 'httpHeader') return;
  const name = credential.field('name').toLowerCase();
  if (name === KEY_HEADER) return;
  throw new NodeError(
    `the credential "${credential.id}" sends the header ${name}, but Anthropic takes its key as ${KEY_HEADER}: change the header name in the credential, or set baseUrl to the gateway that the credential is for`,
    { isRetryable: false },
  );
};

const toRequest = (question: Question): JsonObject => {
  const { model, system, turns, schema, maxTokens, temperature, stop, options } = question;
  const request: JsonObject = {
    model,
    max_tokens: maxTokens,
    messages: turns.map(toMessage),
    ...(system === '' ? {} : { system }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(stop.length === 0 ? {} : { stop_sequences: stop }),
    ...(schema === null ? {} : toTool(schema)),
  };
  return withOptions(request, options);
};

const toTool = (schema: JsonObject): JsonObject => ({
  tools: [{ name: ANSWER_NAME, description: 'Receives the answer.', input_schema: schema }],
  tool_choice: { type: 'tool', name: ANSWER_NAME },
});

const toMessage = ({ role, text, attachments = [] }: Turn): JsonObject => ({
  role,
  content: attachments.length === 0 ? text : [...attachments.map(toBlock), { type: 'text', text }],
});

const toBlock = ({ mediaType, bytes }: Attachment): JsonObject => ({
  type: mediaType.startsWith('image/') ? 'image' : 'document',
  source: { type: 'base64', media_type: mediaType, data: bytes.toString('base64') },
});

const finishReasons: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'refusal',
};

const readAnswer = (body: JsonValue): Answer => {
  const blocks = mapsAt(body, 'content');
  const finishReason = finishReasons[textAt(body, 'stop_reason')] ?? 'other';
  if (!hasList(body, 'content') && finishReason !== 'refusal') throw toNoAnswer(body);
  const tool = blocks.find(({ type }) => type === 'tool_use');
  const usage = mapAt(body, 'usage');
  return {
    text: blocks.map((block) => textAt(block, 'text')).join(''),
    value: tool?.input,
    finishReason,
    usage: toUsage({
      inputTokens: usage.input_tokens,
      outputTokens: usage.output_tokens,
      cacheReadTokens: usage.cache_read_input_tokens,
      cacheWriteTokens: usage.cache_creation_input_tokens,
    }),
    model: textAt(body, 'model'),
  };
};
