import { type Answer, EXECUTION_ID_HEADER } from '../shared/answer.ts';
import { INTERNAL } from '../shared/error-catalogue.ts';
import { AppError, isAppError } from '../shared/errors.ts';

/** Value of `Retry-After` for status 503. */
const RETRY_AFTER_SECONDS = 2;

/**
 * An error as problem details (RFC 9457). An error outside the catalogue becomes `INTERNAL`: its message is only
 * logged.
 * @param instance - the request id, which is also in the log
 */
export const answerProblem = (thrown: unknown, instance: string): Answer => {
  const error = isAppError(thrown) ? thrown : new AppError(INTERNAL, {});
  const executionId = findExecutionId(error);
  const problem = {
    type: `urn:hookloom:problem:${error.code.toLowerCase().replaceAll('_', '-')}`,
    title: error.title,
    status: error.status,
    detail: error.message,
    instance,
    executionId,
    ...membersOf(error),
  };
  return {
    status: error.status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...(executionId === undefined ? {} : { [EXECUTION_ID_HEADER]: executionId }),
      ...headersOf(error),
    },
    body: JSON.stringify(problem),
  };
};

/** The execution that an error is about; undefined if that execution does not exist. */
const findExecutionId = ({ status, parameters }: AppError): string | undefined =>
  status !== 404 && 'executionId' in parameters ? parameters.executionId : undefined;

/** Returns the extension members of a problem (RFC 9457 §3.2). */
const membersOf = ({ parameters }: AppError): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(parameters).filter(([name]) => MEMBERS.includes(name)));

/** The parameters of errors that clients work with. */
const MEMBERS: readonly string[] = ['errors', 'users', 'currentVersion'];

/** Headers that HTTP requires with a status (RFC 9110 §10.2.1, §10.2.3, §11.6.1). */
const headersOf = (error: AppError): Record<string, string> => {
  if (isAppError(error, 'METHOD_NOT_ALLOWED')) return { allow: error.parameters.allow.join(', ') };
  if ('challenge' in error.parameters) return { 'www-authenticate': String(error.parameters.challenge) };
  if (isAppError(error, 'RATE_LIMITED') || isAppError(error, 'CONCURRENCY_LIMITED'))
    return { 'retry-after': String(error.parameters.retryAfterSeconds) };
  if (error.status === 503) return { 'retry-after': String(RETRY_AFTER_SECONDS) };
  return {};
};
