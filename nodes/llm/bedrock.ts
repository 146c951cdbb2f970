import { fromAttempt, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import { toNoAnswer } from './check-answer.ts';
import {
  ANSWER_NAME,
  type Answer,
  type AskProvider,
  type Attachment,
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

/** Asks a model of Amazon Bedrock: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html */
export const askBedrock: AskProvider = async (question, context) => {
  const output = await context.services.aws.send({
    service: 'bedrock-runtime',
    operation: 'Converse',
    input: toInput(question),
    ...fromAttempt(context),
    maxOutputBytes: MAX_ANSWER_BYTES,
    region: question.region,
  });
  return readAnswer(output as JsonObject, question.model);
};

const toInput = (question: Question): Record<string, unknown> => {
  const { model, system, turns, schema, maxTokens, temperature, stop, options } = question;
  const input: Record<string, unknown> = {
    modelId: model,
    messages: turns.map(toMessage),
    ...(system === '' ? {} : { system: [{ text: system }] }),
    inferenceConfig: {
      maxTokens,
      ...(temperature === undefined ? {} : { temperature }),
      ...(stop.length === 0 ? {} : { stopSequences: stop }),
    },
    ...(schema === null ? {} : { toolConfig: toToolConfig(schema) }),
  };
  return withOptions(input, options);
};

const toToolConfig = (schema: JsonObject) => ({
  tools: [
    { toolSpec: { name: ANSWER_NAME, description: 'Receives the answer.', inputSchema: { json: schema } } },
  ],
  toolChoice: { tool: { name: ANSWER_NAME } },
});

const toMessage = ({ role, text, attachments = [] }: Turn) => ({
  role,
  content: [...attachments.map(toBlock), { text }],
});

/** Converts an attachment to a block. Document names allow only a few characters, and must differ. */
const toBlock = ({ mediaType, bytes }: Attachment, index: number) => {
  const format = mediaType.slice(mediaType.indexOf('/') + 1);
  return mediaType.startsWith('image/')
    ? { image: { format, source: { bytes } } }
    : { document: { format, name: `document ${index + 1}`, source: { bytes } } };
};

const finishReasons: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  guardrail_intervened: 'refusal',
  content_filtered: 'refusal',
};

/** @param output - the SDK's output; the fields that are read are JSON */
const readAnswer = (output: JsonObject, model: string): Answer => {
  const message = mapAt(mapAt(output, 'output'), 'message');
  const blocks = mapsAt(message, 'content');
  const finishReason = finishReasons[textAt(output, 'stopReason')] ?? 'other';
  if (!hasList(message, 'content') && finishReason !== 'refusal') throw toNoAnswer(output);
  const tool = blocks.map((block) => mapAt(block, 'toolUse')).find(({ input }) => input !== undefined);
  const usage = mapAt(output, 'usage');
  return {
    text: blocks.map((block) => textAt(block, 'text')).join(''),
    value: tool?.input as JsonValue | undefined,
    finishReason,
    usage: toUsage({
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      cacheReadTokens: usage.cacheReadInputTokens,
      cacheWriteTokens: usage.cacheWriteInputTokens,
    }),
    model,
  };
};
