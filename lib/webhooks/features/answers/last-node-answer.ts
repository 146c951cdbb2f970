import { type FileValue, isFileValue, type JsonObject, Type } from '@hookloom/plugin-kit';
import { answerJson } from '../../../shared/answer.ts';
import { RESPONSE_INVALID } from '../../../shared/error-catalogue.ts';
import { AppError } from '../../../shared/errors.ts';
import { nameExecution } from '../../answer-run.ts';
import { answerSpecially } from '../../answer-specially.chunk.ts';
import { type AnswerStages, defineFeature } from '../../webhook-feature.ts';

type Present = AnswerStages['present'];

/** The first entry of the list `items`; without that list, the whole output. */
const presentFirstItem: Present = ({ executionId, result: { output } }) => {
  const item = Array.isArray(output.items) ? (output.items[0] ?? null) : output;
  return nameExecution(executionId, answerJson(200, item));
};

/** The bytes of a file: the output itself if it is a file value, or its first field that is one. */
const presentFile: Present = ({ executionId, result, openFiles }) => {
  const body = findFile(result.output);
  if (body?.$file.startsWith(`${executionId}/`) !== true)
    throw new AppError(RESPONSE_INVALID, {
      executionId,
      reason: 'its last node returned no file of the execution',
    });
  const response = { headers: { 'cache-control': 'no-store' }, body };
  return answerSpecially(executionId, { ...result, response }, openFiles);
};

const findFile = (output: JsonObject): FileValue | null =>
  isFileValue(output) ? output : (Object.values(output).find(isFileValue) ?? null);

/**
 * How the last node's output is presented. `all` needs no entry: the run itself collects the outputs of all end nodes.
 */
const presents: Readonly<Record<string, Present>> = { firstItem: presentFirstItem, file: presentFile };

/** The features that answer with something other than the output of the last node. */
export const lastNodeAnswer = defineFeature({
  name: 'lastNodeAnswer',
  schema: Type.Enum(['output', 'all', 'firstItem', 'file'], {
    description:
      'The response with lastNode: the output of the last node, the outputs of all end nodes by id, the first entry of the list "items" in the output, or the bytes of the file in it',
    examples: ['all', 'firstItem', 'file'],
  }),
  stages: (rule) => ({
    present: (run) => (run.result.status === 'succeeded' ? (presents[rule]?.(run) ?? null) : null),
  }),
});
