import { type FileValue, isFileValue, type JsonObject } from '@hookloom/plugin-kit';
import { answerJson } from '../../../shared/answer.ts';
import { AppError } from '../../../shared/errors.ts';
import { nameExecution } from '../../answer-run.ts';
import { answerSpecially } from '../../answer-specially.chunk.ts';
import type { AnswerStages, WebhookFeature } from '../../webhook-feature.ts';

type Present = AnswerStages['present'];

/** The first entry of the list `items`; an output without one is itself the item. */
const presentFirstItem: Present = ({ executionId, result: { output } }) => {
  const item = Array.isArray(output.items) ? (output.items[0] ?? null) : output;
  return nameExecution(executionId, answerJson(200, item));
};

/** The bytes of a file: the output itself, or the first of its fields that is one. */
const presentFile: Present = ({ executionId, result, openFiles }) => {
  const body = findFile(result.output);
  if (body?.$file.startsWith(`${executionId}/`) !== true)
    throw new AppError('RESPONSE_INVALID', {
      executionId,
      reason: 'its last node delivered no file of the run',
    });
  const response = { headers: { 'cache-control': 'no-store' }, body };
  return answerSpecially(executionId, { ...result, response }, openFiles);
};

const findFile = (output: JsonObject): FileValue | null =>
  isFileValue(output) ? output : (Object.values(output).find(isFileValue) ?? null);

/** `all` is the output already: the run itself collects those of all end nodes. */
const presents: Readonly<Record<string, Present>> = { firstItem: presentFirstItem, file: presentFile };

/** Answers with another part of what the run has delivered than the output of its last node. */
export const lastNodeAnswer: WebhookFeature = (rule) => ({
  present: (run) => (run.result.status === 'succeeded' ? (presents[String(rule)]?.(run) ?? null) : null),
});
