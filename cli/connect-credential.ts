import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CredentialFields, isPlainObject } from '@hookloom/plugin-kit';
import { tryJson } from '../lib/shared/try-json.ts';
import { describeRefusal, toClientHeader } from '../nodes/credential-types/oauth2.ts';
import type { TargetContext } from './command-context.ts';
import { CommandError } from './command-error.ts';
import { CREDENTIALS, findCredential, sendCredential } from './credential-api.ts';
import type { Io } from './io.ts';

// Signs in to the server of an oauth2 credential: the authorization code grant with PKCE, and a redirect to this machine
// (RFC 6749 §4.1, RFC 7636, RFC 8252 §7.3). Only the last step stores anything, through the admin API.

const SIGN_IN_MS = 5 * 60_000;
const TOKEN_MS = 10_000;
const MAX_TOKEN_BYTES = 65_536;
const REDIRECT_PATH = '/callback';

export interface ConnectOptions {
  /** Port of the redirect's address; 0 for any that is free. */
  readonly port: number;
}

/** @throws CommandError when the sign-in fails; nothing is stored then */
export const connectCredential = async (
  id: string,
  { port }: ConnectOptions,
  context: TargetContext,
): Promise<void> => {
  const { io } = context;
  const found = await findCredential(id, context);
  if (found.direction !== 'outbound' || found.type !== 'oauth2' || found.fields.grant !== 'authorizationCode')
    throw new CommandError(
      `${id} needs no sign-in: that is for the type oauth2 with --field grant=authorizationCode, or with --preset.`,
    );
  const { fields, reference } = found;
  if (reference.startsWith('arn:'))
    throw new CommandError(`${id} has its secret in ${reference}, where nothing can be stored.`);
  const clientSecret = io.isTerminal
    ? await io.askSecret('Client secret (none if empty, for a public client): ')
    : (await io.readStdin()).trim();
  const { code, redirectUri, verifier } = await signIn(fields, port, io);
  const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
  const token = await requestToken({ ...fields, clientSecret }, form, io);
  const secrets = { clientSecret, ...token };
  await sendCredential('oauth2', context, 'POST', `${CREDENTIALS}/${id}/rotate`, { secrets });
  io.note(`${id}: connected; every sandbox uses the new sign-in within a minute`);
};

/** Lets a person sign in, and waits for the redirect. @throws CommandError */
const signIn = async ({ authorizationUrl, ...fields }: CredentialFields, port: number, io: Io) => {
  if (!URL.canParse(authorizationUrl ?? ''))
    throw new CommandError('The credential has no authorizationUrl, where people sign in.');
  const [state, verifier] = [random(), random()];
  const redirect = Promise.withResolvers<string>();
  redirect.promise.catch(() => {}); // it may come before it is awaited
  const server = createServer((request, response) => {
    answerRedirect(request, response, state, redirect);
  });
  const ended = new AbortController();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    }).catch((cause: Error) => {
      throw new CommandError(`The redirect can't be received at port ${port}: ${cause.message}`);
    });
    const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}${REDIRECT_PATH}`;
    const address = new URL(authorizationUrl ?? '');
    const query = {
      response_type: 'code',
      client_id: fields.clientId ?? '',
      redirect_uri: redirectUri,
      scope: fields.scope ?? '',
      audience: fields.audience ?? '',
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(query))
      if (value !== '') address.searchParams.set(name, value);
    io.note(
      `Sign in at this address, within five minutes. The server redirects to ${redirectUri}\n${address.href}`,
    );
    io.browse(address.href);
    const tooLate = io.sleep(SIGN_IN_MS, ended.signal).then(() => {
      throw new CommandError('Nobody signed in within five minutes. Nothing was stored.');
    });
    tooLate.catch(() => {}); // the sign-in may be faster
    return { code: await Promise.race([redirect.promise, tooLate]), redirectUri, verifier };
  } finally {
    ended.abort('the sign-in has ended');
    server.close();
    server.closeIdleConnections();
  }
};

const random = (): string => randomBytes(32).toString('base64url');

/** Answers what arrives at the redirect's address: only the first redirect counts, with a right or a wrong state. */
const answerRedirect = (
  { method, url = '' }: IncomingMessage,
  response: ServerResponse,
  state: string,
  { resolve, reject }: PromiseWithResolvers<string>,
): void => {
  const address = URL.parse(url, 'http://127.0.0.1');
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'close',
  };
  if (method !== 'GET' || address?.pathname !== REDIRECT_PATH) {
    response.writeHead(404, headers).end('Not found\n');
    return;
  }
  const { searchParams } = address;
  const code = searchParams.get('code') ?? '';
  const isOurs = isSame(searchParams.get('state') ?? '', state);
  const isGranted = isOurs && code !== '';
  response
    .writeHead(isGranted ? 200 : 400, headers)
    .end(
      isGranted
        ? 'The command line continues the sign-in. You can close this page.\n'
        : 'The sign-in failed: the command line says why. You can close this page.\n',
    );
  if (isGranted) resolve(code);
  else reject(new CommandError(`${describeRedirect(isOurs, searchParams)} Nothing was stored.`));
};

const describeRedirect = (isOurs: boolean, query: URLSearchParams): string => {
  if (!isOurs) return 'The redirect has a wrong state: it does not answer this sign-in.';
  const error = describeRefusal('it sent neither a code nor an error', { error: query.get('error') });
  return `The server did not grant the sign-in: ${error}.`;
};

const isSame = (one: string, other: string): boolean => {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
};

/**
 * Exchanges a code for the secret fields to store: a refresh token, or an access token that never expires.
 * @throws CommandError that contains nothing that the server sent, except an error code
 */
const requestToken = async (
  fields: CredentialFields,
  form: Readonly<Record<string, string>>,
  io: Io,
): Promise<CredentialFields> => {
  const { tokenUrl = '', clientId = '', clientSecret = '' } = fields;
  const header = toClientHeader(fields);
  const client =
    'authorization' in header
      ? {}
      : { client_id: clientId, ...(clientSecret && { client_secret: clientSecret }) };
  const target = `POST ${new URL(tokenUrl).host}`;
  const fail = (reason: string) => new CommandError(`${target}: ${reason}. Nothing was stored.`);
  const [late, ended] = [new AbortController(), new AbortController()];
  io.sleep(TOKEN_MS, ended.signal).then(
    () => late.abort(),
    () => {}, // it has answered
  );
  const { status, answer } = await send(tokenUrl, {
    headers: header,
    body: new URLSearchParams({ ...form, ...client }),
    signal: late.signal,
  })
    .catch((cause: Error) => {
      throw fail(
        late.signal.aborted
          ? `it did not answer within ${TOKEN_MS / 1_000} seconds`
          : `it could not be asked: ${cause.message}`,
      );
    })
    .finally(() => ended.abort('the server has answered'));
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = answer;
  const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
  if (status !== 200 || !isText(accessToken))
    throw fail(describeRefusal(`it answered ${status} without a token`, answer));
  if (isText(refreshToken)) return { refreshToken };
  if (seconds === undefined) return { refreshToken: '', accessToken };
  throw fail(
    'it sent an access token that expires, but no refresh token: many servers need a scope such as offline_access',
  );
};

/** Sends a form and reads a JSON object: `{}` for anything else. @throws Error when it takes too long or is too large */
const send = async (
  url: string,
  { headers, body, signal }: { headers: Record<string, string>; body: URLSearchParams; signal: AbortSignal },
) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { accept: 'application/json', ...headers },
    ...{ body, redirect: 'manual', signal },
  });
  const chunks: Uint8Array[] = [];
  let left = MAX_TOKEN_BYTES;
  for await (const chunk of response.body ?? []) {
    left -= chunk.length;
    if (left < 0) throw new Error(`its answer has more than ${MAX_TOKEN_BYTES} bytes`);
    chunks.push(chunk);
  }
  return { status: response.status, answer: parseAnswer(Buffer.concat(chunks).toString('utf8')) };
};

const parseAnswer = (text: string): Record<string, unknown> => {
  const answer = tryJson(text);
  return isPlainObject(answer) ? answer : {};
};
