import { type Command, Option } from 'commander';
import {
  createCredential,
  revokeAll,
  revokeSecret,
  rotateCredential,
  type WithNewSecret,
} from '../lib/credentials/create-credential.ts';
import type { Credential } from '../lib/credentials/credential.ts';
import type { CommandContext, TargetContext } from './command-context.ts';
import { CommandError, usageError } from './command-error.ts';
import type { Io } from './io.ts';
import { readId } from './read-arguments.ts';

export const addCredentialCommands = (program: Command, { onTarget }: CommandContext): void => {
  const credential = program
    .command('credential')
    .description('create, rotate and revoke secrets of callers');

  credential
    .command('create')
    .description('create a credential and print its secret, once')
    .argument('<id>', 'id of the new credential', readId)
    .addOption(
      new Option('--type <type>', 'how callers authenticate')
        .choices(['apiKey', 'basic'])
        .makeOptionMandatory(),
    )
    .option('--username <name>', 'for the type basic', readUsername)
    .option('--password-stdin', PASSWORD_STDIN)
    .action(async (id: string, options: CreateOptions) => {
      checkCreateOptions(options);
      await onTarget((context) => create(id, options, context));
    });

  credential
    .command('rotate')
    .description('add a secret and print it; earlier ones stay live')
    .argument('<id>', 'id of the credential', readId)
    .option('--password-stdin', PASSWORD_STDIN)
    .action((id: string, options: PasswordOptions) => onTarget((context) => rotate(id, options, context)));

  credential
    .command('revoke')
    .description('end one secret, or all')
    .argument('<id>', 'id of the credential', readId)
    .argument('[secretId]', 'id of the secret; see credential list')
    .option('--all', 'end all secrets')
    .action(async (id: string, secretId: string | undefined, { all }: { readonly all?: true }) => {
      if ((secretId === undefined) !== (all === true))
        throw usageError('Name the secret to revoke, or --all');
      await onTarget((context) => revoke(id, secretId ?? null, context));
    });

  credential
    .command('list')
    .description('list credentials and the ids of their live secrets')
    .option('--json', 'print JSON')
    .action(({ json }: { readonly json?: true }) => onTarget((context) => list(json === true, context)));
};

/** A value of the option would end up in histories and process lists. */
const PASSWORD_STDIN = 'read the password from standard input instead of generating one';

interface PasswordOptions {
  readonly passwordStdin?: true;
}

interface CreateOptions extends PasswordOptions {
  readonly type: 'apiKey' | 'basic';
  readonly username?: string;
}

const readUsername = (text: string): string => {
  if (text.includes(':')) throw usageError('A user name holds no colon (RFC 7617)');
  return text;
};

const checkCreateOptions = ({ type, username, passwordStdin }: CreateOptions): void => {
  if (type === 'basic' && !username) throw usageError('--type basic needs --username NAME');
  if (type === 'apiKey' && (username !== undefined || passwordStdin === true))
    throw usageError('An API key is generated and has no user name');
};

const create = async (
  id: string,
  { type, username, passwordStdin }: CreateOptions,
  context: TargetContext,
): Promise<void> => {
  const { io, target } = context;
  if ((await target.credentials.find(id)) !== null)
    throw new CommandError(`There is a credential ${id} already; rotate it, or choose another id.`);
  const chosen = passwordStdin === true ? await readPassword(io) : null;
  await store(
    await createCredential({ id, type, username: username ?? null }, { now: io.now(), chosen }),
    context,
  );
};

const rotate = async (
  id: string,
  { passwordStdin }: PasswordOptions,
  context: TargetContext,
): Promise<void> => {
  const { io } = context;
  const credential = await find(id, context);
  if (credential.type === 'apiKey' && passwordStdin === true) throw usageError('An API key is generated');
  const chosen = passwordStdin === true ? await readPassword(io) : null;
  await store(await rotateCredential(credential, { now: io.now(), chosen }), context);
};

/** @param secretId - null: all secrets */
const revoke = async (id: string, secretId: string | null, context: TargetContext): Promise<void> => {
  const credential = await find(id, context);
  const left = secretId === null ? revokeAll(credential) : revokeSecret(credential, secretId);
  if (left === null)
    throw new CommandError(`${id} has no secret ${secretId}; credential list shows what it has.`);
  await context.target.credentials.put(left);
  context.io.print(`${id}: ${left.secrets.length} live secrets`);
  if (left.secrets.length === 0)
    context.io.note('It authenticates no caller now: they get 503 until it is rotated.');
};

const list = async (asJson: boolean, { io, target }: TargetContext): Promise<void> => {
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

const find = async (id: string, { target }: TargetContext): Promise<Credential> => {
  const credential = await target.credentials.find(id);
  if (credential === null) throw new CommandError(`There is no credential ${id}.`);
  return credential;
};

const store = async (
  { credential, newSecret }: WithNewSecret,
  { io, target }: TargetContext,
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
