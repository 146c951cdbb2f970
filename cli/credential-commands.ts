import type { Command } from 'commander';
import {
  createCredential,
  revokeAll,
  revokeSecret,
  rotateCredential,
  type WithNewSecret,
} from '../lib/credentials/create-credential.ts';
import type { Credential } from '../lib/credentials/credential.ts';
import type { OutboundCredential } from '../lib/credentials/outbound/outbound-credential.ts';
import { findUsersOfCredential } from '../lib/workflows/definition/find-users.ts';
import type { CommandContext, TargetContext } from './command-context.ts';
import { CommandError, refuseUsed, usageError } from './command-error.ts';
import type { Io } from './io.ts';
import {
  changeHosts,
  createOutbound,
  describeHosts,
  findCredentialType,
  type OutboundOptions,
  removeOutbound,
  rotateOutbound,
  testOutbound,
} from './outbound-commands.ts';
import { readId } from './read-arguments.ts';

export const addCredentialCommands = (
  program: Command,
  { onTarget, loadCredentialTypes, loadNodeTypes }: CommandContext,
): void => {
  const credential = program
    .command('credential')
    .description('manage secrets of callers and outbound secrets');

  credential
    .command('create')
    .description("create a credential; a caller's secret is printed once")
    .argument('<id>', 'id of the new credential', readId)
    .requiredOption('--type <type>', 'apiKey or basic for callers, or the type of an installed plugin')
    .option('--username <name>', 'user name, for the type basic', readUsername)
    .option('--password-stdin', PASSWORD_STDIN)
    .option('--field <name=value...>', 'public fields of an outbound credential')
    .option('--host <pattern...>', HOST)
    .option('--ref <arn>', 'a Secrets Manager secret with the secret fields')
    .action(async (id: string, options: CreateOptions) => {
      const { type } = options;
      if (isInbound(type)) {
        checkCreateOptions({ ...options, type });
        return onTarget((context) => create(id, { ...options, type }, context));
      }
      const found = findCredentialType(type, await loadCredentialTypes(), INBOUND);
      if (options.username !== undefined || options.passwordStdin === true)
        throw usageError('--username and --password-stdin are for the type basic; other types use --field');
      return onTarget(async (context) => {
        await refuseTaken(id, context);
        await createOutbound(id, found, options, context);
      });
    });

  credential
    .command('rotate')
    .description(
      'add and print a secret for callers, keeping earlier ones live; or replace an outbound secret',
    )
    .argument('<id>', 'id of the credential', readId)
    .option('--password-stdin', PASSWORD_STDIN)
    .action((id: string, options: PasswordOptions) =>
      onTarget(async (context) => {
        const outbound = await context.target.outbound.store.find(id);
        await (outbound === null ? rotate(id, options, context) : rotateOutbound(outbound, context));
      }),
    );

  credential
    .command('revoke')
    .description('revoke one secret of callers, or all')
    .argument('<id>', 'id of the credential', readId)
    .argument('[secretId]', 'id of the secret; see credential list')
    .option('--all', 'revoke all secrets')
    .action(async (id: string, secretId: string | undefined, { all }: { readonly all?: true }) => {
      if ((secretId === undefined) !== (all === true))
        throw usageError('Name the secret to revoke, or use --all');
      await onTarget((context) => revoke(id, secretId ?? null, context));
    });

  credential
    .command('remove')
    .description('remove an outbound credential and its secret')
    .argument('<id>', 'id of the credential', readId)
    .option('--force', 'remove it even if workflow nodes use it')
    .action((id: string, { force }: { readonly force?: true }) =>
      onTarget(async (context) => {
        const found = await findOutbound(id, context);
        if (force !== true) {
          const { definitions } = await context.target.listDefinitions();
          refuseUsed(id, findUsersOfCredential(id, definitions, await loadNodeTypes()));
        }
        await removeOutbound(found, context);
      }),
    );

  credential
    .command('hosts')
    .description('replace the allowed hosts of an outbound credential')
    .argument('<id>', 'id of the credential', readId)
    .option('--host <pattern...>', HOST)
    .action((id: string, { host }: Pick<OutboundOptions, 'host'>) =>
      onTarget(async (context) => changeHosts(await findOutbound(id, context), host, context)),
    );

  credential
    .command('test')
    .description('run the live test of an outbound credential')
    .argument('<id>', 'id of the credential', readId)
    .action((id: string) =>
      onTarget(async (context) => {
        await findOutbound(id, context);
        await testOutbound(id, context);
      }),
    );

  credential
    .command('list')
    .description('list credentials and the ids of their live secrets')
    .option('--json', 'print JSON')
    .action(({ json }: { readonly json?: true }) => onTarget((context) => list(json === true, context)));
};

/** An option's value would appear in shell histories and process lists. */
const PASSWORD_STDIN = 'read the password from standard input instead of generating one';

const HOST =
  "a host that an outbound credential may be sent to: api.example.com, *.example.com, localhost:8080; '*' is any host";

interface PasswordOptions {
  readonly passwordStdin?: true;
}

interface CreateOptions extends PasswordOptions, OutboundOptions {
  readonly type: string;
  readonly username?: string;
}

interface InboundOptions extends CreateOptions {
  readonly type: Credential['type'];
}

const INBOUND: readonly Credential['type'][] = ['apiKey', 'basic'];

const isInbound = (type: string): type is Credential['type'] => INBOUND.some((inbound) => inbound === type);

/** Refuses an id that is taken: both kinds of credentials share one id space. */
const refuseTaken = async (id: string, { target }: TargetContext): Promise<void> => {
  if (((await target.credentials.find(id)) ?? (await target.outbound.store.find(id))) !== null)
    throw new CommandError(`The credential ${id} already exists; rotate it, or choose another id.`);
};

const findOutbound = async (id: string, { target }: TargetContext): Promise<OutboundCredential> => {
  const credential = await target.outbound.store.find(id);
  if (credential !== null) return credential;
  const isForCallers = (await target.credentials.find(id)) !== null;
  throw new CommandError(
    isForCallers ? `${id} is for callers: see credential revoke.` : `There is no credential ${id}.`,
  );
};

const readUsername = (text: string): string => {
  if (text.includes(':')) throw usageError("A user name can't contain a colon (RFC 7617)");
  return text;
};

const checkCreateOptions = ({ type, username, passwordStdin, field, ref, host }: InboundOptions): void => {
  if (field !== undefined || ref !== undefined || host !== undefined)
    throw usageError('--field, --host and --ref are for outbound credentials');
  if (type === 'basic' && !username) throw usageError('--type basic needs --username NAME');
  if (type === 'apiKey' && (username !== undefined || passwordStdin === true))
    throw usageError('An API key is generated and has no user name');
};

const create = async (
  id: string,
  { type, username, passwordStdin }: InboundOptions,
  context: TargetContext,
): Promise<void> => {
  const { io } = context;
  await refuseTaken(id, context);
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

/** Revokes one or all secrets of a credential. @param secretId - null: all secrets */
const revoke = async (id: string, secretId: string | null, context: TargetContext): Promise<void> => {
  const credential = await find(id, context);
  const left = secretId === null ? revokeAll(credential) : revokeSecret(credential, secretId);
  if (left === null)
    throw new CommandError(`${id} has no secret ${secretId}; credential list shows its secrets.`);
  await context.target.credentials.put(left);
  context.io.print(`${id}: ${left.secrets.length} live secrets`);
  if (left.secrets.length === 0)
    context.io.note('It authenticates no callers now: they get 503 until it is rotated.');
};

const list = async (asJson: boolean, { io, target }: TargetContext): Promise<void> => {
  const shown = (await target.credentials.list()).map(({ id, type, username, secrets }) => ({
    id,
    type,
    username,
    secrets: secrets.map(({ id: secretId, createdAt }) => ({ id: secretId, createdAt })),
  }));
  const outbound = await target.outbound.store.list();
  if (asJson) io.print(JSON.stringify([...shown, ...outbound], null, 2));
  else if (shown.length + outbound.length === 0) io.note('There are no credentials.');
  else {
    for (const { id, type, username, secrets } of shown) {
      io.print([id, type, username ?? '-', `${secrets.length} live`].join('\t'));
      for (const secret of secrets) io.print(`  ${secret.id}\t${secret.createdAt}`);
    }
    for (const { id, type, hosts, reference } of outbound) {
      const lends = (await target.outbound.findType(type))?.apply === undefined && !hosts?.length;
      io.print([id, type, lends ? '-' : describeHosts(hosts), reference].join('\t'));
    }
  }
};

const find = async (id: string, { target }: TargetContext): Promise<Credential> => {
  const credential = await target.credentials.find(id);
  if (credential !== null) return credential;
  const isOutbound = (await target.outbound.store.find(id)) !== null;
  throw new CommandError(
    isOutbound ? `${id} is an outbound credential: see credential remove.` : `There is no credential ${id}.`,
  );
};

const store = async (
  { credential, newSecret }: WithNewSecret,
  { io, target }: TargetContext,
): Promise<void> => {
  await target.credentials.put(credential);
  const { id, secrets } = credential;
  io.note(`${id}: secret ${secrets.at(-1)?.id} is live, ${secrets.length} in total`);
  if (newSecret === null) return;
  io.note('It is shown only this once:');
  io.print(newSecret);
};

const readPassword = async (io: Io): Promise<string> => {
  const password = (await io.readStdin()).replace(/\r?\n$/, '');
  if (password.length < 8) throw new CommandError('A password needs at least 8 characters.');
  return password;
};
