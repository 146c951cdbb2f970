import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CredentialFields } from '@hookloom/plugin-kit';
import {
  exchangeCode,
  REDIRECT_PATH,
  readCode,
  readSignInFields,
  SIGN_IN_MS,
  type SignInCredential,
  SignInError,
  type StartedSignIn,
  startSignIn,
} from '../authoring/sign-in.ts';
import type { TargetContext } from './command-context.ts';
import { CommandError } from './command-error.ts';
import { CREDENTIALS, findCredential, sendCredential } from './credential-api.ts';
import type { Io } from './io.ts';

export interface ConnectOptions {
  /** Port of the redirect's address; 0 for any that is free. */
  readonly port: number;
}

/**
 * Signs in to the server of a credential. Only the last step stores anything, through the admin API.
 *
 * @throws CommandError when the sign-in fails; nothing is stored then
 */
export const connectCredential = async (
  id: string,
  { port }: ConnectOptions,
  context: TargetContext,
): Promise<void> => {
  const { io } = context;
  const found = await findCredential(id, context);
  const secrets = await signIn(found, port, io).catch((error: unknown) => {
    throw error instanceof SignInError ? new CommandError(`${error.message} Nothing was stored.`) : error;
  });
  await sendCredential('oauth2', context, 'POST', `${CREDENTIALS}/${id}/rotate`, { secrets });
  io.note(`${id}: connected; every sandbox uses the new sign-in within a minute`);
};

/** @returns the secret fields to store. @throws SignInError, CommandError */
const signIn = async (credential: SignInCredential, port: number, io: Io): Promise<CredentialFields> => {
  const fields = readSignInFields(credential);
  const clientSecret = io.isTerminal
    ? await io.askSecret('Client secret (none if empty, for a public client): ')
    : (await io.readStdin()).trim();
  const received = await receiveCode(fields, port, io);
  return exchangeCode({ ...received, fields: { ...fields, clientSecret }, sleep: io.sleep });
};

/** Lets a person sign in, and waits for the redirect. @throws SignInError, CommandError */
const receiveCode = async (fields: CredentialFields, port: number, io: Io) => {
  const redirect = Promise.withResolvers<string>();
  redirect.promise.catch(() => {}); // it may come before it is awaited
  let started: StartedSignIn | null = null;
  const server = createServer((request, response) => answerRedirect(request, response, started, redirect));
  const ended = new AbortController();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    }).catch((cause: Error) => {
      throw new CommandError(`The redirect can't be received at port ${port}: ${cause.message}`);
    });
    const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}${REDIRECT_PATH}`;
    started = startSignIn(fields, redirectUri);
    const { address } = started;
    io.note(
      `Sign in at this address, within five minutes. The server redirects to ${redirectUri}\n${address}`,
    );
    io.browse(address);
    const tooLate = io.sleep(SIGN_IN_MS, ended.signal).then(() => {
      throw new SignInError('Nobody signed in within five minutes.');
    });
    tooLate.catch(() => {}); // the sign-in may be faster
    return { ...started, code: await Promise.race([redirect.promise, tooLate]) };
  } finally {
    ended.abort('the sign-in has ended');
    server.close();
    server.closeIdleConnections();
  }
};

/** Answers what arrives at the redirect's address: only the first redirect counts, with a right or a wrong state. */
const answerRedirect = (
  { method, url = '' }: IncomingMessage,
  response: ServerResponse,
  started: StartedSignIn | null,
  { resolve, reject }: PromiseWithResolvers<string>,
): void => {
  const address = URL.parse(url, 'http://127.0.0.1');
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'close',
  };
  if (method !== 'GET' || address?.pathname !== REDIRECT_PATH || started === null) {
    response.writeHead(404, headers).end('Not found\n');
    return;
  }
  try {
    const code = readCode(address.searchParams, started);
    response
      .writeHead(200, headers)
      .end('The command line continues the sign-in. You can close this page.\n');
    resolve(code);
  } catch (error) {
    response
      .writeHead(400, headers)
      .end('The sign-in failed: the command line says why. You can close this page.\n');
    reject(error);
  }
};
