import type { Answer, RouteKey } from './routes.ts';

export interface Call {
  /** The variables of the path, not encoded. */
  readonly params?: Readonly<Record<string, string | number>>;
  /** Those that are null, undefined or empty are left out. */
  readonly query?: Readonly<Record<string, string | number | null | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Whether it is sent to its end even if the page is left. */
  readonly keepalive?: boolean;
}

/** A problem that the API answers with (RFC 9457), or that kept it from answering: those have the status 0. */
export class Problem extends Error {
  readonly status: number;
  /** The end of the problem's type: `workflow-not-found`. */
  readonly code: string;
  readonly title: string;
  /** The id of the request, which logs have, too; null if there is none. */
  readonly instance: string | null;
  /** What is wrong with what was sent; empty if the message says it. */
  readonly errors: readonly ProblemPart[];
  /** Everything the answer has. */
  readonly members: Readonly<Record<string, unknown>>;

  constructor(status: number, members: Readonly<Record<string, unknown>>) {
    super(String(members.detail ?? members.message ?? `The service answered with the status ${status}.`));
    this.name = 'Problem';
    this.status = status;
    this.code = String(members.type ?? '').replace(/^.*:/, '');
    this.title = String(members.title ?? 'The request failed');
    this.instance = typeof members.instance === 'string' ? members.instance : null;
    this.errors = Array.isArray(members.errors) ? members.errors : [];
    this.members = members;
  }
}

/** Whether a change was refused since another version than expected is stored, or one where none was expected. */
export const isOutdated = (error: Error | null): boolean => error instanceof Problem && error.status === 412;

interface ProblemPart {
  /** To its place, as a fragment of a URI. */
  readonly pointer: string;
  readonly detail: string;
}

/** Longer than the gateway's limit of 30 s. */
const TIMEOUT_MS = 35_000;

/** Answers that have the status of a failure but are no problem, and a member that only they have. */
const REPORTS: { readonly [Key in RouteKey]?: { readonly status: number; readonly member: string } } = {
  'GET /api/admin/plugins/health': { status: 503, member: 'plugins' },
  'POST /api/admin/plugins/health/live': { status: 503, member: 'plugins' },
};

/**
 * Calls a route of the admin API.
 *
 * @returns the body of its answer
 * @throws Problem
 */
export const callApi = async <Key extends RouteKey>(key: Key, call: Call = {}): Promise<Answer<Key>> => {
  const { params = {}, query = {}, ...sent } = call;
  const [method = '', pattern = ''] = key.split(' ');
  const path = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === null || value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given).toString().replaceAll('+', '%20')}`;
  return (await sendRequest(`${path}${search}`, { ...sent, method, report: REPORTS[key] })) as Answer<Key>;
};

/**
 * Calls a route of the server of this page, which is no route of the admin API.
 *
 * @param body - sent as JSON
 * @returns the body of its answer
 * @throws Problem
 */
export const callServer = async <Body>(path: string, body: unknown): Promise<Body> =>
  (await sendRequest(path, { method: 'POST', body })) as Body;

interface Sent extends Pick<Call, 'body' | 'headers' | 'signal' | 'keepalive'> {
  readonly method: string;
  readonly report?: (typeof REPORTS)[RouteKey];
}

/** @throws Problem, with the status 0 when nothing answers */
const sendRequest = async (address: string, sent: Sent): Promise<unknown> => {
  const { method, body, headers, signal, keepalive = false, report } = sent;
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const init: RequestInit = {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    keepalive,
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  };
  const response = await fetch(address, init).catch((error: unknown) => {
    if (signal?.aborted === true) throw error;
    const detail = timeout.aborted
      ? `It took longer than ${TIMEOUT_MS / 1_000} seconds.`
      : 'It may have been stopped.';
    throw new Problem(0, { title: 'The service does not answer', detail });
  });
  const text = await response.text();
  const answer = parseAnswer(text);
  const members = typeof answer === 'object' && answer !== null ? (answer as Record<string, unknown>) : {};
  const { status, ok } = response;
  const isReport = report !== undefined && status === report.status && report.member in members;
  if (isReport || (ok && answer !== undefined)) return answer;
  throw new Problem(status, members);
};

const parseAnswer = (text: string): unknown => {
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The JSON pointer of a problem, which the API writes as a fragment of a URI (RFC 6901 §6). */
export const fromFragment = (fragment: string): string =>
  fragment.replace(/^#/, '').split('/').map(decodeURIComponent).join('/');
