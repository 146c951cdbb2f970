import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CredentialFields } from '@hookloom/plugin-kit';
import {
  exchangeCode,
  type Grant,
  isAnswerTo,
  REDIRECT_PATH,
  readGrant,
  readSignInFields,
  SIGN_IN_MS,
  type SignInCredential,
  SignInError,
  type StartedSignIn,
  startSignIn,
} from '../authoring/sign-in.ts';
import type { TargetContext } from './command.ts';
import { CommandError } from './command-error.ts';
import { CREDENTIALS, findCredential, sendCredential } from './credential-api.ts';
import type { Io } from './io.ts';

/**
 * Signs in to the server of a credential. Only the last step stores anything, through the admin API.
 *
 * @throws CommandError when the sign-in fails; nothing is stored then
 */
export const connectCredential = async (
  id: string,
  context: TargetContext,
  { port }: { readonly port: number },
): Promise<void> => {
  const { io } = context;
  const found = await findCredential(id, context);
  const secrets = await signIn(found, port, io).catch((error: unknown) => {
    throw error instanceof SignInError ? new CommandError(`${error.message} Nothing was stored.`) : error;
  });
  await sendCredential(found.type, context, 'POST', `${CREDENTIALS}/${id}/rotate`, { secrets });
  io.note(`${id}: connected; every sandbox uses the new sign-in within a minute`);
};

/** @returns the secret fields to store. @throws SignInError, CommandError */
const signIn = async (credential: SignInCredential, port: number, io: Io): Promise<CredentialFields> => {
  const fields = readSignInFields(credential);
  const clientSecret = io.isTerminal
    ? await io.askSecret('Client secret (none if empty, for a public client): ')
    : (await io.readStdin()).trim();
  const received = await receiveGrant(fields, port, io);
  return exchangeCode({ ...received, fields: { ...fields, clientSecret }, sleep: io.sleep });
};

/** Lets a person sign in, and waits for the redirect. @throws SignInError, CommandError */
const receiveGrant = async (fields: CredentialFields, port: number, io: Io) => {
  const redirect = Promise.withResolvers<Grant>();
  redirect.promise.catch(() => {}); // it may come before it is awaited
  let started: StartedSignIn | null = null;
  let hasNoted = false;
  const server = createServer(({ method, url = '' }, response) => {
    const address = URL.parse(url, 'http://127.0.0.1');
    if (method !== 'GET' || address?.pathname !== REDIRECT_PATH || started === null)
      return answerBrowser(response, 404, 'Not found');
    const query = address.searchParams;
    if (!isAnswerTo(query, started)) {
      if (!hasNoted)
        io.note('A redirect with a wrong state has come, of another page or sign-in: it is ignored.');
      hasNoted = true;
      return answerBrowser(
        response,
        400,
        'This does not answer the sign-in of the command line: its state is wrong.',
      );
    }
    try {
      redirect.resolve(readGrant(query, fields, started));
      answerBrowser(response, 200, 'The command line continues the sign-in. You can close this page.');
    } catch (error) {
      redirect.reject(error);
      answerBrowser(response, 400, 'The sign-in failed: the command line says why. You can close this page.');
    }
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
    started = await startSignIn(fields, redirectUri);
    const { address } = started;
    io.note(
      `Sign in at this address, within five minutes. The server redirects to ${redirectUri}\n${address}`,
    );
    io.browse(address);
    const tooLate = io.sleep(SIGN_IN_MS, ended.signal).then(() => {
      throw new SignInError('Nobody signed in within five minutes.');
    });
    tooLate.catch(() => {}); // the sign-in may be faster
    return { ...started, grant: await Promise.race([redirect.promise, tooLate]) };
  } finally {
    ended.abort('the sign-in has ended');
    server.close();
    server.closeIdleConnections();
  }
};

const answerBrowser = (response: ServerResponse, status: number, text: string): void => {
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'close',
  };
  response.writeHead(status, headers).end(`${text}\n`);
};
