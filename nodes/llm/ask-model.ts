import {
  isJsonMap,
  isNodeError,
  type JsonObject,
  type JsonValue,
  type NodeContext,
  NodeError,
  type Usage,
} from '@hookloom/plugin-kit';
import { askAnthropic } from './anthropic.ts';
import { askBedrock } from './bedrock.ts';
import { type AnswerProblem, createCheck, toEmpty, toRefusal, toUnusable } from './check-answer.ts';
import { askOpenai } from './openai.ts';
import { credentialTypesOf, findProblems, type LlmParameters } from './parameters.ts';
import {
  type Answer,
  type AskProvider,
  mapAt,
  type Question,
  readAttachments,
  type Turn,
  textAt,
} from './question.ts';

const providers: Readonly<Record<LlmParameters['provider'], AskProvider>> = {
  openai: askOpenai,
  anthropic: askAnthropic,
  bedrock: askBedrock,
};

/** How many characters of its answer a model is shown again to correct it. */
const MAX_REPEATED = 50_000;

/**
 * Asks a model, and asks again with what was wrong if its answer does not match the schema.
 * @returns `{ text, json?, finishReason, usage, model, provider }`; `usage` covers all questions
 * @throws NodeError, see `answer-errors.ts` and `model-error.ts`
 */
export const askModel = async (parameters: LlmParameters, context: NodeContext): Promise<JsonObject> => {
  const { provider, schema = null, maxTokens, repairs, tokenPrices } = parameters;
  checkQuestion(parameters, context);
  const check = schema === null ? null : await createCheck(schema);
  const question = await toQuestion(parameters, context);
  let { turns } = question;
  let usage: Usage = {};
  for (let repairsLeft = repairs; ; repairsLeft--) {
    context.addUsage({ questions: 1 });
    const answer = await askProvider(provider, { ...question, turns }, context);
    context.addUsage({ ...answer.usage, ...priceTokens(answer.usage, tokenPrices) });
    usage = addCounts(usage, answer.usage);
    const { text, finishReason, model } = answer;
    if (finishReason === 'refusal') throw toRefusal({ answer, usage });
    const output = { text, finishReason, usage, model, provider };
    if (check === null) {
      if (text === '' && finishReason !== 'length') throw toEmpty({ answer, usage });
      return output;
    }
    const checked = check(answer);
    if ('json' in checked) return { ...output, json: checked.json };
    const { problem } = checked;
    if (finishReason === 'length' || repairsLeft === 0)
      throw toUnusable({ answer, usage }, problem, maxTokens);
    turns = [...turns, ...toRepair(answer, problem)];
  }
};

/** A dollar for a million tokens is a millionth of a dollar for each. */
const priceTokens = (usage: Usage, prices: LlmParameters['tokenPrices']): Usage =>
  prices === undefined
    ? {}
    : {
        microDollars: Object.entries(prices).reduce(
          (sum, [kind, price]) => sum + (usage[kind] ?? 0) * price,
          0,
        ),
      };

const askProvider = async (
  provider: LlmParameters['provider'],
  question: Question,
  context: NodeContext,
): Promise<Answer> => {
  try {
    return await providers[provider](question, context);
  } catch (error) {
    throw toModelError(error);
  }
};

/** Checks what `workflow put` can't know about a node whose parameters are expressions. */
const checkQuestion = (parameters: LlmParameters, { credential }: NodeContext): void => {
  const [problem] = findProblems(parameters);
  if (problem !== undefined)
    throw new NodeError(`Parameter "${problem.path.slice(1)}" ${problem.message}`, { isRetryable: false });
  const types = credentialTypesOf(parameters.provider);
  if (credential !== null && !types.includes(credential.type))
    throw new NodeError(
      `the credential "${credential.id}" is of the type ${credential.type}, but ${parameters.provider} takes ${types.join(', ')}`,
      { isRetryable: false },
    );
};

const toQuestion = async (parameters: LlmParameters, { services }: NodeContext): Promise<Question> => {
  const { provider, prompt, messages = [], files, schema = null, ...rest } = parameters;
  const turns: readonly Turn[] =
    prompt === undefined
      ? messages.map(({ role, content }) => ({ role, text: content }))
      : [{ role: 'user', text: prompt }];
  const attachments = await readAttachments(files, services.files);
  const last = turns.length - 1;
  return {
    ...rest,
    schema,
    turns: turns.map((turn, index) => (index === last ? { ...turn, attachments } : turn)),
  };
};

const addCounts = (before: Usage, counts: Usage): Usage => ({
  ...before,
  ...Object.fromEntries(
    Object.entries(counts).map(([name, count]) => [name, (before[name] ?? 0) + count] as const),
  ),
});

/**
 * Returns the messages that ask for a correction: the answer, and what was wrong with it, since models correct
 * themselves if they see both.
 */
const toRepair = ({ text, value }: Answer, { kind, faults }: AnswerProblem): readonly Turn[] => {
  const answer = value === undefined ? text : JSON.stringify(value);
  const problem =
    kind === 'notJson'
      ? 'That was not JSON.'
      : `That does not match the JSON Schema:\n${faults.map(writeMistake).join('\n')}`;
  return [
    // Providers refuse empty text, and text that ends with blanks.
    { role: 'assistant', text: answer.slice(0, MAX_REPEATED).trimEnd() || '(no answer)' },
    { role: 'user', text: `${problem}\nAnswer again, with only the corrected JSON.` },
  ];
};

const writeMistake = ({ place, message }: JsonObject): string =>
  `- at ${textOrEmpty(place) || '/'}: ${textOrEmpty(message)}`;

const textOrEmpty = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

/** Codes that OpenAI and Azure return when they refuse a prompt. */
const refusals = new Set(['content_filter', 'content_policy_violation']);

/** An account without credit gets the same status as one that is rate-limited, but permanently. */
const NO_CREDIT = 'insufficient_quota';

/**
 * How providers say that a prompt is longer than the model's context. Only OpenAI has a code for it.
 */
const tooLong = [
  'context_length_exceeded',
  'prompt is too long',
  'input is too long',
  'exceed context limit',
  'maximum context length',
  'context window',
] as const;

/**
 * Names the failures that have a special meaning, and says whether another attempt helps.
 * @param thrown - what a provider's client threw
 * @returns what to throw instead
 */
const toModelError = (thrown: unknown): unknown => {
  if (!isNodeError(thrown)) return thrown;
  const { details = {}, message } = thrown;
  const error = mapAt(isJsonMap(details.body) ? details.body : {}, 'error');
  const [code, type, said] = ['code', 'type', 'message'].map((key) => textAt(error, key));
  const about = `${code} ${type} ${said} ${message}`.toLowerCase();
  const options = { details, isRetryable: false, cause: thrown };
  if (thrown.isRetryable) {
    return [code, type].includes(NO_CREDIT)
      ? new NodeError(`${message}: the account has no credit left`, { ...options, name: 'NoCreditError' })
      : thrown;
  }
  if (tooLong.some((words) => about.includes(words)))
    return new NodeError('the prompt and maxTokens together exceed the context of the model', {
      ...options,
      name: 'ContextTooLongError',
    });
  if ([code, type].some((name) => refusals.has(name ?? '')))
    return new NodeError('the provider refused the prompt; change it', {
      ...options,
      name: 'ModelRefusedError',
    });
  return thrown;
};
