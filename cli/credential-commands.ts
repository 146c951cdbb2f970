import {
  createCredential,
  revokeAll,
  revokeSecret,
  rotateCredential,
  type WithNewSecret,
} from '../lib/credentials/create-credential.ts';
import type { Credential } from '../lib/credentials/credential.ts';
import { CommandError, usageError } from './command-error.ts';
import type { Io } from './io.ts';
import type { Target } from './target.ts';

export interface CredentialContext {
  readonly io: Io;
  readonly target: Target;
}

export interface NewCredential {
  readonly id: string;
  readonly type: string | undefined;
  readonly username: string | undefined;
  /** Read the password from standard input; on the command line it would end up in histories and process lists. */
  readonly isChosen: boolean;
}

export const create = async (
  { id, type, username, isChosen }: NewCredential,
  context: CredentialContext,
): Promise<void> => {
  if (type !== 'apiKey' && type !== 'basic') throw usageError('--type must be apiKey or basic');
  if (type === 'basic' && !username) throw usageError('--type basic needs --username NAME');
  if (type === 'basic' && username?.includes(':')) throw usageError('A user name holds no colon (RFC 7617)');
  if (type === 'apiKey' && (username !== undefined || isChosen)) {
    throw usageError('An API key is generated and has no user name');
  }
  const { io, target } = context;
  if ((await target.credentials.find(id)) !== null) {
    throw new CommandError(`There is a credential ${id} already; rotate it, or choose another id.`);
  }
  const chosen = isChosen ? await readPassword(io) : null;
  const made = await createCredential({ id, type, username: username ?? null }, { now: io.now(), chosen });
  await store(made, context);
};

export const rotate = async (id: string, isChosen: boolean, context: CredentialContext): Promise<void> => {
  const { io } = context;
  const credential = await find(id, context);
  if (credential.type === 'apiKey' && isChosen) throw usageError('An API key is generated');
  const chosen = isChosen ? await readPassword(io) : null;
  await store(await rotateCredential(credential, { now: io.now(), chosen }), context);
};

export const revoke = async (
  {
    id,
    secretId,
    isAll,
  }: { readonly id: string; readonly secretId: string | undefined; readonly isAll: boolean },
  context: CredentialContext,
): Promise<void> => {
  if ((secretId === undefined) === !isAll) throw usageError('Name the secret to revoke, or --all');
  const credential = await find(id, context);
  const left = secretId === undefined ? revokeAll(credential) : revokeSecret(credential, secretId);
  if (left === null)
    throw new CommandError(`${id} has no secret ${secretId}; credential list shows what it has.`);
  await context.target.credentials.put(left);
  context.io.print(`${id}: ${left.secrets.length} live secrets`);
  if (left.secrets.length === 0)
    context.io.note('Nobody gets in with it now: callers get 503 until it is rotated.');
};

export const list = async (asJson: boolean, { io, target }: CredentialContext): Promise<void> => {
  const shown = (await target.credentials.list()).map(({ id, type, username, secrets }) => ({
    id,
    type,
    username,
    secrets: secrets.map(({ id: secretId, createdAt }) => ({ id: secretId, createdAt })),
  }));
  if (asJson) io.print(JSON.stringify(shown, null, 2));
  else if (shown.length === 0) io.note('There are no credentials.');
  else {
    for (const { id, type, username, secrets } of shown) {
      io.print([id, type, username ?? '-', `${secrets.length} live`].join('\t'));
      for (const secret of secrets) io.print(`  ${secret.id}\t${secret.createdAt}`);
    }
  }
};

const find = async (id: string, { target }: CredentialContext): Promise<Credential> => {
  const credential = await target.credentials.find(id);
  if (credential === null) throw new CommandError(`There is no credential ${id}.`);
  return credential;
};

const store = async (
  { credential, newSecret }: WithNewSecret,
  { io, target }: CredentialContext,
): Promise<void> => {
  await target.credentials.put(credential);
  const { id, secrets } = credential;
  io.note(`${id}: secret ${secrets.at(-1)?.id} is live, ${secrets.length} in all`);
  if (newSecret === null) return;
  io.note('This is the only time that it is shown:');
  io.print(newSecret);
};

const readPassword = async (io: Io): Promise<string> => {
  const password = (await io.readStdin()).replace(/\r?\n$/, '');
  if (password.length < 8) throw new CommandError('A password has 8 characters at least.');
  return password;
};
