import { callJsonApi, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import { toNoAnswer } from './check-answer.ts';
import {
  ANSWER_NAME,
  type Answer,
  type AskProvider,
  type Attachment,
  addPath,
  type FinishReason,
  MAX_ANSWER_BYTES,
  mapAt,
  mapsAt,
  type Question,
  type Turn,
  textAt,
  toUsage,
  withOptions,
} from './question.ts';

/** Asks an API that offers OpenAI's chat completions: https://platform.openai.com/docs/api-reference/chat */
export const askOpenai: AskProvider = async (question, context) => {
  const { baseUrl = 'https://api.openai.com/v1' } = question;
  const url = addPath(baseUrl, '/chat/completions');
  const call = { method: 'POST', url, body: toRequest(question, url), maxResponseBytes: MAX_ANSWER_BYTES };
  const { body } = await callJsonApi(call, context);
  return readAnswer(body);
};

const toRequest = (question: Question, url: string): JsonObject => {
  const { model, system, turns, schema, strict, maxTokens, temperature, stop, options } = question;
  const request: JsonObject = {
    model,
    messages: [...(system === '' ? [] : [{ role: 'system', content: system }]), ...turns.map(toMessage)],
    [nameOfMaxTokens(url)]: maxTokens,
    ...(temperature === undefined ? {} : { temperature }),
    ...(stop.length === 0 ? {} : { stop }),
    ...(schema === null
      ? {}
      : { response_format: { type: 'json_schema', json_schema: { name: ANSWER_NAME, schema, strict } } }),
  };
  return withOptions(request, options);
};

/** OpenAI's newer models refuse the old name, which is the one that most compatible servers support. */
const nameOfMaxTokens = (url: string): string =>
  /(?:^|\.)(?:openai\.com|openai\.azure\.com)$/.test(new URL(url).hostname)
    ? 'max_completion_tokens'
    : 'max_tokens';

const toMessage = ({ role, text, attachments = [] }: Turn): JsonObject => ({
  role,
  content: attachments.length === 0 ? text : [...attachments.map(toPart), { type: 'text', text }],
});

const toPart = ({ mediaType, name, bytes }: Attachment): JsonObject => {
  const url = `data:${mediaType};base64,${bytes.toString('base64')}`;
  return mediaType.startsWith('image/')
    ? { type: 'image_url', image_url: { url } }
    : { type: 'file', file: { filename: name, file_data: url } };
};

const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  content_filter: 'refusal',
};

const readAnswer = (body: JsonValue): Answer => {
  const [choice] = mapsAt(body, 'choices');
  const message = mapAt(choice, 'message');
  const refusal = textAt(message, 'refusal');
  const finishReason =
    refusal === '' ? (finishReasons[textAt(choice, 'finish_reason')] ?? 'other') : 'refusal';
  if (typeof message.content !== 'string' && finishReason !== 'refusal') throw toNoAnswer(body);
  const usage = mapAt(body, 'usage');
  return {
    text: refusal === '' ? textAt(message, 'content') : refusal,
    finishReason,
    usage: toUsage({
      inputTokens: usage.prompt_tokens,
      outputTokens: usage.completion_tokens,
      cacheReadTokens: mapAt(usage, 'prompt_tokens_details').cached_tokens,
      reasoningTokens: mapAt(usage, 'completion_tokens_details').reasoning_tokens,
    }),
    model: textAt(body, 'model'),
  };
};
