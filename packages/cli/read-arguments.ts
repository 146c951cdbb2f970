import { isId } from '@hookloom/plugin-kit/host';
import type { GenericSchema, InferOutput } from 'valibot';
import { isAppError } from '../../lib/shared/errors.ts';
import { PAGE, parseFields } from '../../lib/shared/query-fields.ts';
import { usageError } from './command-error.ts';

/** Matches a stage name, which is part of the tables' names. */
const STAGE = /^[A-Za-z0-9_.-]{1,64}$/;

export const readId = (text: string): string => {
  if (!isId(text)) throw usageError(`${JSON.stringify(text)} is not an id: use 1 to 64 of A-Z a-z 0-9 _ -`);
  return text;
};

/** One of several ids, after those before it. */
export const readIds = (text: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  readId(text),
];

/** @param describe - says what is wrong with a text, as JSON */
export const numberThat =
  (isValid: (value: number) => boolean, describe: (shown: string) => string) =>
  (text: string): number => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (!isValid(value)) throw usageError(describe(JSON.stringify(text)));
    return value;
  };

export const readNumber = numberThat(
  (value) => !Number.isNaN(value),
  (shown) => `${shown} is not a number.`,
);

export const readVersionNumber = numberThat(
  (value) => Number.isSafeInteger(value) && value >= 1,
  () => 'A version must be a whole number of at least 1.',
);

export const readStage = (text: string): string => {
  if (!STAGE.test(text))
    throw usageError(`${JSON.stringify(text)} is not a stage name: use 1 to 64 of A-Z a-z 0-9 _ . -`);
  return text;
};

export const readUrl = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isLocal = url !== null && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  if (url === null || !(url.protocol === 'https:' || (url.protocol === 'http:' && isLocal)))
    throw usageError(
      `${JSON.stringify(text.slice(0, 100))} is not a URL such as https://abc.execute-api.eu-west-1.amazonaws.com`,
    );
  return url.origin;
};

/** Checks the combination of options. Commander accepts whatever follows an option as its value. */
export const checkOptions = (options: Readonly<Record<string, unknown>>, namesStage = false): void => {
  for (const [name, value] of Object.entries(options)) {
    if (typeof value === 'string' && value.startsWith('--'))
      throw usageError(`--${name} needs a value, but ${value} is an option.`);
  }
  // Without a stage, the command would target the local service.
  for (const name of ['region', 'profile', 'url'])
    if (options[name] !== undefined && options.stage === undefined && !namesStage)
      throw usageError(`--${name} needs --stage NAME.`);
};

/** Options of many commands. */
export const JSON_OUTPUT = ['--json', 'print JSON'] as const;
export const PAGING = [
  ['--limit <number>', `how many: 1 to ${PAGE.max} (default: ${PAGE.initial})`],
  ['--cursor <cursor>', 'continue where a list ended'],
] as const;

/** Arguments of many commands. */
export const WORKFLOW = ['<id>', 'id of the workflow', readId] as const;
export const EXECUTION = ['<id>', 'id of the execution', readId] as const;

/**
 * Reads the options of a list by the admin API's rules.
 *
 * @throws CommandError when one is invalid
 */
export const readQuery = <Schema extends GenericSchema>(
  schema: Schema,
  options: unknown,
): InferOutput<Schema> => {
  try {
    return parseFields(schema, options, '--');
  } catch (error) {
    if (isAppError(error, 'QUERY_INVALID')) throw usageError(`${error.parameters.reason}.`);
    throw error;
  }
};
