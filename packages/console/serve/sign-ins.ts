import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { CredentialFields } from '@hookloom/plugin-kit';
import { tryJson } from '../../../lib/shared/try-json.ts';
import {
  exchangeCode,
  type Grant,
  isAnswerTo,
  REDIRECT_PATH,
  readGrant,
  readSignInFields,
  SIGN_IN_MS,
  SignInError,
  type StartedSignIn,
  startSignIn,
} from '../../authoring/sign-in.ts';
import { CONSOLE_PATH, SIGN_INS_PATH } from '../console-settings.ts';
import { type ConsoleAnswer, escapeAttribute } from './console-pages.ts';
import { answerHtml, answerProblem, toFailure } from './door-answers.ts';
import type { PassedAnswer, PassOn } from './pass-on.ts';

// The page asks for an address to sign in at, leaves for it, and comes back by the redirect, in the same tab. This server
// keeps what must not be in the page: the verifier and the code, and the client secret once it is typed.

/** A request to a server on this machine. */
interface LocalRequest {
  readonly method: string;
  /** Path and query, percent-encoded. */
  readonly url: string;
  /** Alternating names and values, as in `node:http`. */
  readonly rawHeaders: readonly string[];
  /** Of the server. */
  readonly port: number;
  /** Null for a body of more bytes. */
  readonly readBody: (maxBytes: number) => Promise<Uint8Array | null>;
}

interface SignInsOptions {
  readonly passOn: PassOn;
  readonly isReadOnly: boolean;
  readonly clock?: typeof systemClock;
}

export interface SignIns {
  /**
   * Answers a redirect of an authorization server. It comes from another site, so it has no session: its state is what
   * makes it valid. Null for any other request.
   */
  answerRedirect(request: Omit<LocalRequest, 'readBody'>): ConsoleAnswer | null;
  /** Answers a call of the page, for which the caller vouches; null for any other request. */
  answerCall(request: LocalRequest): Promise<ConsoleAnswer | null>;
}

interface SignIn {
  readonly id: string;
  readonly credentialId: string;
  /** With the client secret. */
  readonly fields: CredentialFields;
  readonly started: StartedSignIn;
  /** Path of the console with its query, where the tab began. */
  readonly returnTo: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
  /** What the redirect brought; null before it. */
  redirect: { readonly grant: Grant } | { readonly refusal: string } | null;
  /** What came of it, for as many times as it is asked for. */
  outcome: Promise<ConsoleAnswer> | null;
}

/** At once; the oldest is dropped for another one. */
const MAX_SIGN_INS = 20;
const MAX_BODY_BYTES = 16_384;

export const createSignIns = ({ passOn, isReadOnly, clock = systemClock }: SignInsOptions): SignIns => {
  const known = new Map<string, SignIn>();

  const findAll = (): SignIn[] => {
    for (const [id, { expiresAt }] of known) if (expiresAt <= clock.now()) known.delete(id);
    return [...known.values()];
  };

  const start = async ({ rawHeaders, port, readBody }: LocalRequest): Promise<ConsoleAnswer> => {
    if (isReadOnly) return answerProblem(READ_ONLY);
    const asked = readAsked((await readBody(MAX_BODY_BYTES)) ?? Buffer.alloc(0));
    if (asked === null) return answerProblem(INVALID);
    const { credentialId, clientSecret, returnTo } = asked;
    const path = `${CREDENTIALS}/${encodeURIComponent(credentialId)}`;
    const found = await passOn({ method: 'GET', address: path, headers: {} });
    if (found.status !== 200) return relayAnswer(found);
    const fields = readSignInFields(JSON.parse(Buffer.from(found.body).toString()));
    const started = await startSignIn(fields, `http://${findHeader('host', rawHeaders)}${REDIRECT_PATH}`);
    const id = randomBytes(32).toString('base64url');
    const [oldest] = findAll();
    if (known.size >= MAX_SIGN_INS && oldest !== undefined) known.delete(oldest.id);
    known.set(id, {
      id,
      credentialId,
      started,
      redirect: null,
      outcome: null,
      fields: { ...fields, clientSecret },
      returnTo: toReturnPath(returnTo),
      expiresAt: clock.now() + SIGN_IN_MS,
    });
    // Secrets do not stay in memory for as long as the server runs.
    void clock.sleep(2 * SIGN_IN_MS, new AbortController().signal).then(findAll);
    const seconds = SIGN_IN_MS / 1_000;
    return answerJson(201, { address: started.address }, [
      // Lax: browsers send it with the redirect, which then finds its way back even with a wrong state.
      [
        'set-cookie',
        `${toCookie(port, id)}; Path=${REDIRECT_PATH}; Max-Age=${seconds}; HttpOnly; SameSite=Lax`,
      ],
    ]);
  };

  const finish = async (id: string): Promise<ConsoleAnswer> => {
    if (id === WRONG_STATE)
      return refuseSignIn('The redirect has a wrong state: it does not answer the sign-in that began here.');
    const signIn = findAll().find((other) => other.id === id);
    if (signIn === undefined || signIn.redirect === null) return answerProblem(UNKNOWN);
    signIn.outcome ??= complete(signIn);
    return signIn.outcome;
  };

  const complete = async ({ credentialId, fields, started, redirect }: SignIn): Promise<ConsoleAnswer> => {
    if (redirect === null || 'refusal' in redirect) return refuseSignIn(redirect?.refusal ?? '');
    const { redirectUri, verifier } = started;
    const secrets = await exchangeCode({ fields, ...redirect, redirectUri, verifier, sleep: clock.sleep });
    const stored = await passOn({
      method: 'POST',
      address: `${CREDENTIALS}/${encodeURIComponent(credentialId)}/rotate`,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify({ secrets })),
    });
    return stored.status === 200 ? answerJson(200, { credentialId }) : relayAnswer(stored);
  };

  return {
    answerRedirect: ({ method, url, rawHeaders, port }) => {
      const [path = '', search = ''] = url.split(/\?(.*)/s);
      if (method !== 'GET' || path !== REDIRECT_PATH) return null;
      const query = new URLSearchParams(search);
      const signIns = findAll();
      const signIn = signIns.find(({ started }) => isAnswerTo(query, started));
      if (signIn === undefined) {
        const cookies = findHeader('cookie', rawHeaders).split(/; */);
        const { returnTo = null } = signIns.find(({ id }) => cookies.includes(toCookie(port, id))) ?? {};
        return returnTo === null
          ? answerReturn(`${CONSOLE_PATH}/credentials`, 'unknown')
          : answerReturn(returnTo, WRONG_STATE);
      }
      if (signIn.redirect === null) {
        signIn.redirect = readRedirect(query, signIn);
        signIn.expiresAt = clock.now() + SIGN_IN_MS; // for the page, which comes next
      }
      return answerReturn(signIn.returnTo, signIn.id);
    },
    answerCall: async (request) => {
      const [path = ''] = request.url.split('?');
      if (request.method !== 'POST' || !path.startsWith(SIGN_INS_PATH)) return null;
      const [, id = null] = FINISH.exec(path) ?? [];
      if (path !== SIGN_INS_PATH && id === null) return null;
      try {
        return await (id === null ? start(request) : finish(id));
      } catch (error) {
        return error instanceof SignInError ? refuseSignIn(error.message) : answerProblem(toFailure(error));
      }
    },
  };
};

const CREDENTIALS = '/api/admin/credentials';
/** In the place of an id, so that the page says so; the sign-in that began there continues. */
const WRONG_STATE = 'wrong-state';
const FINISH = new RegExp(`^${SIGN_INS_PATH}/([\\w-]{1,64})/finish$`);

const systemClock = {
  /** Milliseconds since the epoch. */
  now: (): number => Date.now(),
  /** @throws the signal's reason when it is aborted before */
  sleep: (ms: number, signal: AbortSignal): Promise<void> =>
    setTimeout(ms, undefined, { signal, ref: false }),
};

/** Has the port in its name: browsers send the cookies of a host to all of its ports. */
const toCookie = (port: number, id: string): string => `hookloom-sign-in-${port}=${id}`;

/** The first value of a header; empty without one. */
const findHeader = (name: string, rawHeaders: readonly string[]): string =>
  rawHeaders.find((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name) ?? '';

type Asked = Readonly<Record<'credentialId' | 'clientSecret' | 'returnTo', string>>;

/** @returns null for anything else */
const readAsked = (body: Uint8Array): Asked | null => {
  const given = tryJson(Buffer.from(body).toString());
  const { credentialId, clientSecret = '', returnTo = '' } = (given ?? {}) as Partial<Asked>;
  const isValid = [credentialId, clientSecret, returnTo].every((value) => typeof value === 'string');
  return isValid ? { credentialId: credentialId ?? '', clientSecret, returnTo } : null;
};

/** A place of the console, whatever was asked for. */
const toReturnPath = (returnTo: string): string => {
  const { pathname, search } = URL.parse(returnTo, 'http://console') ?? new URL('http://console');
  return pathname.startsWith(`${CONSOLE_PATH}/`) ? `${pathname}${search}` : `${CONSOLE_PATH}/credentials`;
};

const readRedirect = (
  query: URLSearchParams,
  { fields, started }: Pick<SignIn, 'fields' | 'started'>,
): NonNullable<SignIn['redirect']> => {
  try {
    return { grant: readGrant(query, fields, started) };
  } catch (error) {
    if (error instanceof SignInError) return { refusal: error.message };
    throw error;
  }
};

const READ_ONLY = {
  type: 'console-read-only',
  title: 'The console is read-only',
  status: 403,
  detail: 'It was started with --read-only, and stores no sign-in.',
};

const INVALID = {
  type: 'sign-in-invalid',
  title: 'Not a sign-in',
  status: 400,
  detail: `The body must be JSON with "credentialId", "clientSecret" and "returnTo", of at most ${MAX_BODY_BYTES} bytes.`,
};

const UNKNOWN = {
  type: 'sign-in-unknown',
  title: 'Not signed in',
  status: 404,
  detail: 'This sign-in has expired, or was not begun here. Nothing was stored: sign in again.',
};

const refuseSignIn = (reason: string): ConsoleAnswer =>
  answerProblem({
    type: 'sign-in-refused',
    title: 'Not signed in',
    status: 422,
    detail: `${reason} Nothing was stored.`,
  });

const answerJson = (status: number, body: object, headers: ConsoleAnswer['headers'] = []): ConsoleAnswer => ({
  status,
  headers: [...headers, ['content-type', 'application/json'], ['cache-control', 'no-store']],
  body: Buffer.from(JSON.stringify(body)),
});

/** A refusal of the admin API, as it is. */
const relayAnswer = ({ status, headers, body }: PassedAnswer): ConsoleAnswer => ({
  status: status < 400 ? 502 : status,
  headers: [
    ['content-type', headers.get('content-type') ?? 'application/problem+json'],
    ['cache-control', 'no-store'],
  ],
  body,
});

/**
 * A page that leads to where the tab began. A redirect would still come from the other site: it would be without the
 * session of this browser, which is sent only for what pages of this server ask for.
 */
const answerReturn = (returnTo: string, id: string): ConsoleAnswer => {
  const address = new URL(returnTo, 'http://console');
  address.searchParams.set('signIn', id);
  const target = escapeAttribute(`${address.pathname}${address.search}`);
  const head = `<meta http-equiv="refresh" content="0;url=${target}">\n`;
  return answerHtml(200, { title: 'Back to the console', head, body: '' }); // its own address has the code
};
