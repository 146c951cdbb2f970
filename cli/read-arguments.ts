import type { ListQuery } from '../lib/executions/lifecycle/list-executions.ts';
import { EXECUTION_STATUSES } from '../lib/executions/record/execution-status.ts';
import { readCount, readTime, readWords } from '../lib/http/read-query.ts';
import { isAppError } from '../lib/shared/errors.ts';
import { usageError } from './command-error.ts';

/** The ids that workflows and credentials may have; DynamoDB would refuse some of the others with an error of its own. */
const ID = /^[A-Za-z0-9_-]{1,64}$/;
/** What may stand in a table's name. */
const STAGE = /^[A-Za-z0-9_.-]{1,64}$/;

export const atLeastOne = (names: readonly string[], what: string): [string, ...string[]] => {
  const [first, ...rest] = names;
  if (first === undefined) throw usageError(`Name at least one ${what}.`);
  return [first, ...rest];
};

export const exactlyOne = (names: readonly string[], what: string): string => {
  const [first, ...rest] = atLeastOne(names, what);
  if (rest.length > 0) throw usageError(`Name one ${what}, not ${names.length}.`);
  return first;
};

export const noNames = (names: readonly string[]): void => {
  if (names.length > 0)
    throw usageError(`Nothing is expected here, but there is ${JSON.stringify(names[0])}.`);
};

export const readId = (names: readonly string[]): string => {
  const id = exactlyOne(names, 'ID');
  if (!ID.test(id)) throw usageError(`${JSON.stringify(id)} is no id: an id is 1 to 64 of A-Z a-z 0-9 _ -`);
  return id;
};

/** Null when it is not given. */
export const readVersionNumber = (text: string | undefined): number | null => {
  if (text === undefined) return null;
  const version = Number(text);
  if (!Number.isSafeInteger(version) || version < 1)
    throw usageError('--version must be a whole number from 1 on.');
  return version;
};

/** A region without a stage would quietly mean the local service. */
export const checkTarget = ({
  stage,
  region,
}: {
  readonly stage?: string | undefined;
  readonly region?: string | undefined;
}): void => {
  if (region !== undefined && stage === undefined) throw usageError('--region needs --stage NAME.');
  if (stage !== undefined && !STAGE.test(stage))
    throw usageError(`${JSON.stringify(stage)} is no stage: its name is 1 to 64 of A-Z a-z 0-9 _ . -`);
};

interface ListOptions {
  readonly workflow?: string | undefined;
  readonly status?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly limit?: string | undefined;
  readonly cursor?: string | undefined;
}

/** What `execution list` asks for, in the words of the admin API. */
export const readListQuery = ({ workflow, status, from, to, limit, cursor }: ListOptions): ListQuery => {
  try {
    return {
      workflowId: workflow === undefined ? null : readId([workflow]),
      statuses: readWords('--status', status, EXECUTION_STATUSES),
      from: readTime('--from', from),
      to: readTime('--to', to),
      limit: readCount('--limit', limit, { initial: 25, max: 100 }),
      cursor: cursor ?? null,
    };
  } catch (error) {
    if (isAppError(error, 'QUERY_INVALID')) throw usageError(`${error.parameters.reason}.`);
    throw error;
  }
};
