import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CONSOLE_PATH, type ConsoleSettings } from '../console-settings.ts';
import { type ConsoleAnswer, createConsolePages } from './console-pages.ts';
import { answerProblem, answerRefusal, type Problem, toFailure } from './door-answers.ts';
import { createDoorSession, type DoorSession } from './door-session.ts';
import { findForeignHost, findForeignRequest, readBody } from './local-requests.ts';
import type { PassOn } from './pass-on.ts';
import { createSignIns, type SignIns } from './sign-ins.ts';

export interface DoorOptions {
  readonly settings: ConsoleSettings;
  readonly passOn: PassOn;
  /** Where builds of the console are kept. */
  readonly cacheFolder: string;
  /** 0 uses any free port. */
  readonly port: number;
  /** How long it stays open without a request of its user. */
  readonly idleMs?: number;
}

/** A server on this machine through which one browser uses the console of a stage. */
export interface Door {
  readonly port: number;
  /** The address to open, once. @param path - of the console, percent-encoded: `/executions/ID`; empty for its start */
  toAddress(path: string): string;
  /** Resolves when the door has closed itself after `idleMs` without a request. */
  readonly idle: Promise<void>;
  close(): Promise<void>;
}

export const IDLE_MS = 30 * 60_000;

/** As the gateway has it: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html */
const MAX_BODY_BYTES = 10 * 1024 * 1024;

/**
 * Opens a door to a stage. Requests that pass it are signed by `passOn`, with the AWS credentials of its user.
 *
 * @throws Error with the system's code when the port is in use: `EADDRINUSE`
 */
export const openDoor = async ({ idleMs = IDLE_MS, ...options }: DoorOptions): Promise<Door> => {
  const findPage = createConsolePages(options.cacheFolder, options.settings);
  const { promise: idle, resolve: onIdle } = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    void answerConsoleRequest(request, opened)
      .catch((error: unknown) => answerProblem(toFailure(error)))
      .then(({ status, headers, body }) => sendConsoleAnswer(request, response, { status, headers, body }));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, '127.0.0.1', resolve); // no other name, and no other interface
  });
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      clearTimeout(timer);
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const timer = setTimeout(() => void close().then(onIdle), idleMs);
  const session = createDoorSession(port);
  const { passOn, settings } = options;
  const signIns = createSignIns({ passOn, isReadOnly: settings.isReadOnly });
  const opened: Opened = { ...options, port, session, signIns, findPage, onUse: () => timer.refresh() };
  return {
    port,
    toAddress: (path) => `http://127.0.0.1:${port}${CONSOLE_PATH}${path}?token=${session.token}`,
    idle,
    close,
  };
};

interface Opened extends Pick<DoorOptions, 'settings' | 'passOn'> {
  readonly port: number;
  readonly session: DoorSession;
  readonly signIns: SignIns;
  readonly findPage: ReturnType<typeof createConsolePages>;
  readonly onUse: () => void;
}

const answerConsoleRequest = async (request: IncomingMessage, opened: Opened): Promise<ConsoleAnswer> => {
  const { method = '', url = '', rawHeaders, headers } = request;
  const { port, session, signIns, findPage, onUse } = opened;
  const foreignHost = findForeignHost({ rawHeaders, port });
  if (foreignHost !== null) return answerProblem(foreignHost);
  const back = signIns.answerRedirect({ method, url, rawHeaders, port });
  if (back !== null) return back;
  const foreign = findForeignRequest({ rawHeaders, port });
  if (foreign !== null) return answerProblem(foreign);
  const [path = '', query = ''] = url.split(/\?(.*)/s);
  const isPage = method === 'GET' && (path === CONSOLE_PATH || path.startsWith(`${CONSOLE_PATH}/`));
  const isOpen = session.isOpenFor(headers.cookie === undefined ? [] : [headers.cookie]);
  const token = isPage ? new URLSearchParams(query).get('token') : null;
  if (token !== null) {
    const cookie = session.exchange(token);
    if (cookie === null && !isOpen) return answerRefusal('used');
    onUse();
    return redirectTo(removeToken(path, query), cookie);
  }
  if (!isOpen) return isPage ? answerRefusal('closed') : answerProblem(NO_SESSION);
  onUse();
  const page = isPage ? await findPage(path) : null;
  if (page !== null) return page;
  const signIn = await signIns.answerCall({
    method,
    url,
    rawHeaders,
    port,
    readBody: (maxBytes) => readBody(request, maxBytes),
  });
  return signIn ?? passToApi(request, opened);
};

const NO_SESSION: Problem = {
  type: 'console-session-missing',
  title: 'This browser may not use the console',
  status: 401,
  detail: 'Open the address that `hookloom console` printed; if it was used, start the command again.',
};

/** The same address without its token. */
const removeToken = (path: string, query: string): string => {
  const rest = new URLSearchParams(query);
  rest.delete('token');
  const text = rest.toString();
  return text === '' ? path : `${path}?${text}`;
};

const redirectTo = (location: string, cookie: string | null): ConsoleAnswer => ({
  status: 303,
  headers: [
    ['location', location],
    ['cache-control', 'no-store'],
    ['referrer-policy', 'no-referrer'],
    ...(cookie === null ? [] : ([['set-cookie', cookie]] as const)),
  ],
  body: Buffer.alloc(0),
});

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Headers that routes of the API read. Cookies stay here. */
const PASSED = [
  'accept',
  'content-type',
  'if-match',
  'if-none-match',
  'prefer',
  'idempotency-key',
  'traceparent',
];

/** Headers of the API's answers that clients read. */
const RETURNED = [
  'content-type',
  'etag',
  'location',
  'retry-after',
  'preference-applied',
  'apigw-requestid',
  'hookloom-execution-id',
];

/** The check of definitions, which also answers the next times of a schedule, and runs of nodes without effects. */
const CHANGE_NOTHING = ['POST /api/admin/workflows/validate', 'POST /api/admin/workflows/evaluate'];

const passToApi = async (request: IncomingMessage, { settings, passOn }: Opened): Promise<ConsoleAnswer> => {
  const { method = '', url = '', headers } = request;
  const address = readApiAddress(url);
  if (address === null)
    return answerProblem({
      type: 'console-path-refused',
      title: 'Not found',
      status: 404,
      detail: 'This server has the console, and the paths of the admin API below /api/admin/.',
    });
  if (!METHODS.includes(method))
    return answerProblem({
      type: 'console-method-refused',
      title: 'Method not allowed',
      status: 405,
      detail: `The admin API has no ${method}.`,
    });
  if (settings.isReadOnly && method !== 'GET' && !CHANGE_NOTHING.includes(`${method} ${address}`))
    return answerProblem({
      type: 'console-read-only',
      title: 'The console is read-only',
      status: 403,
      detail: 'It was started with --read-only, and passes on no changes.',
    });
  const body = await readBody(request, MAX_BODY_BYTES);
  if (body === null)
    return answerProblem({
      type: 'console-body-too-large',
      title: 'Body too large',
      status: 413,
      detail: `The API takes bodies of at most ${MAX_BODY_BYTES / 1024 / 1024} MB.`,
    });
  const passed = PASSED.flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  const answered = await passOn({
    method,
    address,
    headers: Object.fromEntries(passed),
    ...(body.length === 0 ? {} : { body }),
  });
  const returned = RETURNED.flatMap((name) => {
    const value = answered.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return {
    status: answered.status,
    headers: [...returned, ['cache-control', 'no-store'], ['x-content-type-options', 'nosniff']],
    body: answered.body,
  };
};

/**
 * The address of a request to the admin API, as it is sent and signed; null for any other, also for one that some reader of
 * percent-encoding would take to a place outside of it.
 */
const readApiAddress = (url: string): string | null => {
  const [raw = ''] = url.split('?');
  if (!raw.startsWith('/api/admin/') || !URL.canParse(url, 'http://stage')) return null;
  const { pathname, search, origin } = new URL(url, 'http://stage');
  if (origin !== 'http://stage' || pathname !== raw) return null;
  let decoded = raw;
  for (let depth = 0; decoded.includes('%'); depth++) {
    try {
      if (depth === MAX_ENCODINGS) return null;
      decoded = decodeURIComponent(decoded);
    } catch {
      return null;
    }
  }
  const [, ...segments] = decoded.split(/[/\\]/);
  return segments.some((segment) => ['', '.', '..'].includes(segment)) ? null : `${pathname}${search}`;
};

/** No value is encoded more than twice. */
const MAX_ENCODINGS = 3;

/** Statuses without a body and therefore without a length (RFC 9110 §8.6). */
const BODILESS = new Set([204, 304]);

const sendConsoleAnswer = (
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: ConsoleAnswer,
) => {
  request.resume(); // drops what was not read; otherwise the caller would not see the response
  const length = BODILESS.has(status) ? [] : [['content-length', String(body.length)]];
  response.writeHead(status, [...headers, ...length].flat()).end(body);
};
