import {
  type ApiFailure,
  findProblem,
  isJsonMap,
  type JsonAnswer,
  type JsonValue,
  readRetryAfter,
} from '@hookloom/plugin-kit';

/** What GitHub asks for when a secondary limit names no time. */
const SECONDARY_LIMIT_MS = 60_000;

/**
 * Reads a failure of the REST API: what GitHub says of it, and whether it is a limit of the rate, which has the status
 * 403 or 429.
 *
 * @see https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
 */
export const findGithubFailure = (answer: JsonAnswer, now: number): ApiFailure | null => {
  if (answer.status < 400) return null;
  const retryAfterMs = findRateLimit(answer, now);
  return {
    ...describe(answer),
    ...(retryAfterMs === null ? {} : { isRetryable: true, retryAfterMs }),
  };
};

/** Milliseconds until the next attempt; null when the failure is no limit of the rate. */
const findRateLimit = ({ status, headers, body }: JsonAnswer, now: number): number | null => {
  if (status !== 403 && status !== 429) return null;
  const retryAfterMs = readRetryAfter(429, headers, now);
  if (retryAfterMs !== undefined) return retryAfterMs;
  const { 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': reset = '' } = headers;
  if (remaining === '0' && /^\d{1,12}$/.test(reset)) return Math.max(0, Number(reset) * 1_000 - now);
  const isSecondary = status === 429 || /\brate limit\b/i.test(findProblem(body) ?? '');
  return isSecondary ? SECONDARY_LIMIT_MS : null;
};

const describe = ({ status, headers, body }: JsonAnswer): ApiFailure => {
  const problem = findProblem(body);
  if (problem === null) return {};
  const [first] = readErrors(body);
  const permissions = headers['x-accepted-github-permissions'];
  const hint =
    status === 404
      ? ': check the names, and that the token may see the repository'
      : status === 403 && permissions !== undefined
        ? `: the token needs ${permissions}`
        : '';
  return {
    problem: `${problem}${first === undefined ? hint : `: ${first.text}`}`.slice(0, 300),
    ...(first?.code === undefined ? {} : { code: first.code }),
  };
};

/** The problems of a 422: `{ resource, field, code, message? }` or a text. */
const readErrors = (body: JsonValue): { readonly text: string; readonly code?: string }[] => {
  const errors = isJsonMap(body) && Array.isArray(body.errors) ? body.errors : [];
  return errors.flatMap((error: JsonValue) => {
    if (typeof error === 'string') return [{ text: error }];
    if (!isJsonMap(error)) return [];
    const { resource, field, code, message } = error;
    const place = [resource, field].filter((part) => typeof part === 'string').join('.');
    const text = typeof message === 'string' ? message : String(code ?? 'is not valid');
    return [{ text: `${place} ${text}`.trim(), ...(typeof code === 'string' ? { code } : {}) }];
  });
};
