import { setTimeout } from 'node:timers/promises';
import { isPlainObject, type JsonObject } from '@hookloom/plugin-kit';
import { CommandError } from './command-error.ts';
import { type ApiAnswerBytes, readDenial, type SendBytes } from './signed-requests.ts';

interface ApiRequest {
  /** Query parameters; those that are null or undefined are left out. */
  readonly query?: Readonly<Record<string, string | number | null | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** Sends one request. @param address - the path with its query @returns the parsed JSON; null without a body */
type SendToApi = (
  method: string,
  address: string,
  request: Pick<ApiRequest, 'headers' | 'body'>,
) => Promise<{ readonly status: number; readonly body: unknown }>;

/** The admin API of a service. Each call throws ApiProblem if the service refuses it, and CommandError without an answer. */
export interface AdminApi {
  /** @param path - percent-encoded */
  call<Body>(method: string, path: string, request?: ApiRequest): Promise<Body>;
  /** All pages of a list. @param key - of the entries in the answer */
  list<Entry>(path: string, key: string, query?: ApiRequest['query']): Promise<readonly Entry[]>;
}

/** A problem that the admin API answers with (RFC 9457). */
export class ApiProblem extends Error {
  readonly status: number;
  /** The end of the problem's type: `workflow-not-found`. */
  readonly code: string;
  readonly members: JsonObject;

  constructor(status: number, problem: JsonObject) {
    super(String(problem.detail ?? problem.message ?? `the admin API answered ${status}`));
    this.status = status;
    this.code = String(problem.type ?? '').replace(/^.*:/, '');
    this.members = problem;
  }
}

export const createAdminApi = (send: SendToApi): AdminApi => {
  const call: AdminApi['call'] = async <Body>(
    method: string,
    path: string,
    { query = {}, ...request }: ApiRequest = {},
  ) => {
    const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
      value === null || value === undefined ? [] : [[name, String(value)]],
    );
    const search = new URLSearchParams(given).toString().replaceAll('+', '%20');
    const { status, body } = await send(method, search === '' ? path : `${path}?${search}`, request);
    if (status >= 400) throw new ApiProblem(status, isPlainObject(body) ? (body as JsonObject) : {});
    return body as Body;
  };
  return {
    call,
    list: async <Entry>(path: string, key: string, query: ApiRequest['query'] = {}) => {
      const entries: Entry[] = [];
      let cursor: string | null = null;
      do {
        const page: Readonly<Record<string, unknown>> = await call('GET', path, {
          query: { ...query, limit: PAGE_SIZE, cursor },
        });
        entries.push(...(page[key] as readonly Entry[]));
        cursor = page.nextCursor as string | null;
      } while (cursor !== null);
      return entries;
    },
  };
};

const PAGE_SIZE = 100;

/** A hint for lists over all workflows. */
export const EARLIER_NOTE =
  'Entries stored before the upgrade appear only with --workflow ID. `hookloom migrate` adds them to this list.';

/**
 * Refuses an unknown workflow when a list found nothing: its name may be wrong. A removed workflow still has its versions,
 * as its executions.
 *
 * @param id - null or undefined for all workflows
 * @throws ApiProblem
 */
export const refuseUnknownWorkflow = async (id: string | null | undefined, api: AdminApi): Promise<void> => {
  if (id != null) await api.call('GET', `/api/admin/workflows/${id}/versions`, { query: { limit: 1 } });
};

/** Users named in a message; further ones are counted. */
const MAX_NAMED = 10;

/** Removes something that workflows may use. @throws CommandError that names the users, unless it is forced */
export const removeUnused = async <Answer>(
  id: string,
  path: string,
  isForced: boolean | undefined,
  api: AdminApi,
): Promise<Answer> => {
  try {
    return await api.call<Answer>('DELETE', path, { query: { force: isForced === true ? 'true' : null } });
  } catch (error) {
    if (!(error instanceof ApiProblem) || !Array.isArray(error.members.users)) throw error;
    const users = error.members.users as readonly string[];
    const others = users.length > MAX_NAMED ? [`and ${users.length - MAX_NAMED} more`] : [];
    throw new CommandError(
      [
        `${id} is in use and was not removed. It is used by:`,
        ...[...users.slice(0, MAX_NAMED), ...others].map((user) => `  ${user}`),
        'To remove it anyway: --force',
      ].join('\n'),
    );
  }
};

const TRIES = 6;
/** The longest first delay; each further one is up to twice as long. */
const DELAY_MS = 200;

/** Whether a request may be repeated: the gateway has refused it for its rate, or it changes nothing. */
const isRepeatable = (status: number, method: string): boolean =>
  status === 429 || (status >= 500 && method === 'GET');

/** Sends JSON; repeats requests that were refused for their rate, and those without effects after a fault. */
export const createSendToApi = ({
  sendBytes,
  sleep = setTimeout,
}: {
  readonly sendBytes: SendBytes;
  readonly sleep?: (ms: number) => Promise<unknown>;
}): SendToApi => {
  const sendOnce: SendToApi = async (method, address, { headers = {}, body }) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const all = { ...headers, ...(text === undefined ? {} : { 'content-type': 'application/json' }) };
    const answer = await sendBytes({ method, address, headers: all, body: text });
    return { status: answer.status, body: parseAnswer(answer) };
  };
  return async (method, address, request) => {
    for (let tries = 1; ; tries++) {
      const answer = await sendOnce(method, address, request);
      const denial = readDenial(answer.status, answer.body);
      if (denial !== null) throw new CommandError(describeApiDenial(method, address.split('?')[0] ?? ''));
      if (tries === TRIES || !isRepeatable(answer.status, method)) return answer;
      await sleep(DELAY_MS * 2 ** (tries - 1) * (0.5 + Math.random() / 2));
    }
  };
};

const parseAnswer = ({ body }: ApiAnswerBytes): unknown => {
  const text = Buffer.from(body).toString();
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    throw new CommandError('The address does not answer as an admin API: the answer is not JSON.');
  }
};

/** Says which permission the caller lacks. @param path - without the query */
export const describeApiDenial = (method: string, path: string): string =>
  `AWS denies execute-api:Invoke on ${method} ${path} to these credentials.\nCheck them, or ask for this permission; docs/deploying.md has the policies for each task.`;
