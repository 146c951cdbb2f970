import type { Command } from 'commander';
import type { DescribedCredential } from '../../lib/app/edit-credentials.ts';
import { describeLimits } from '../../lib/credentials/limits/call-limits.ts';
import { describeHosts } from '../../lib/credentials/outbound/outbound-rules.ts';
import { describeUser } from '../../lib/workflows/definition/find-users.ts';
import { OAUTH2_PRESETS } from '../authoring/oauth2-presets.ts';
import { ApiProblem } from './admin-api.ts';
import type { CommandContext, TargetContext } from './command-context.ts';
import { refuseUsed, usageError } from './command-error.ts';
import { type ConnectOptions, connectCredential } from './connect-credential.ts';
import {
  CREDENTIALS,
  type CreateOptions,
  findCredential,
  type LimitOptions,
  type PasswordOptions,
} from './credential-api.ts';
import { explain } from './help.ts';
import {
  checkInboundOptions,
  createInbound,
  INBOUND,
  revokeSecret,
  rotateInbound,
} from './inbound-credentials.ts';
import {
  changeHosts,
  changeLimits,
  createOutbound,
  rotateOutbound,
  testCredential,
  toLimits,
} from './outbound-credentials.ts';
import { readId } from './read-arguments.ts';
import { oneLine, printTable } from './table.ts';

export const addCredentialCommands = (program: Command, { onTarget }: CommandContext): void => {
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
    .option('--preset <service>', `for the type oauth2: ${Object.keys(OAUTH2_PRESETS).join(', ')}`)
    .option('--host <pattern...>', HOST)
    .option('--ref <arn>', 'a Secrets Manager secret with the secret fields')
    .option('--per-second <number>', PER_SECOND, readLimit('--per-second'))
    .option('--at-once <number>', AT_ONCE, readLimit('--at-once'))
    .addHelpText(
      'after',
      explain([
        'credential create shop-key --type apiKey',
        'credential create crm --type httpBearer --host crm.example.com',
        'credential create mail --type oauth2 --preset google --field clientId=ID',
      ]),
    )
    .action(async (id: string, options: CreateOptions) => {
      const isForCallers = INBOUND.some((type) => type === options.type);
      if (isForCallers) checkInboundOptions(options);
      else if (options.username !== undefined || options.passwordStdin === true)
        throw usageError('--username and --password-stdin are for the type basic; other types use --field');
      await onTarget((context) => (isForCallers ? createInbound : createOutbound)(id, options, context));
    });

  credential
    .command('rotate')
    .description(
      'add and print a secret for callers, keeping earlier ones live; or replace an outbound secret',
    )
    .argument('<id>', 'id of the credential', readId)
    .option('--password-stdin', PASSWORD_STDIN)
    .addHelpText('after', explain(['credential rotate orders-key']))
    .action((id: string, options: PasswordOptions) =>
      onTarget(async (context) => {
        const found = await findCredential(id, context);
        await (found.direction === 'inbound'
          ? rotateInbound(found, options, context)
          : rotateOutbound(found, context));
      }),
    );

  credential
    .command('connect')
    .description('sign in, for an oauth2 credential with the grant authorizationCode')
    .argument('<id>', 'id of the credential', readId)
    .option('--port <number>', 'port of the redirect to this machine; any free one by default', readPort, 0)
    .addHelpText('after', explain(['credential connect mail', 'credential connect mail --port 8123']))
    .action((id: string, options: ConnectOptions) =>
      onTarget((context) => connectCredential(id, options, context)),
    );

  credential
    .command('revoke')
    .description('revoke one secret of callers, or all')
    .argument('<id>', 'id of the credential', readId)
    .argument('[secretId]', 'id of the secret; see credential list')
    .option('--all', 'revoke all secrets')
    .addHelpText('after', explain(['credential revoke orders-key 1']))
    .action(async (id: string, secretId: string | undefined, { all }: { readonly all?: true }) => {
      if ((secretId === undefined) !== (all === true))
        throw usageError('Name the secret to revoke, or use --all');
      await onTarget((context) => revokeSecret(id, secretId, context));
    });

  credential
    .command('remove')
    .description('remove a credential and its secrets')
    .argument('<id>', 'id of the credential', readId)
    .option('--force', 'remove it even if workflow nodes use it')
    .addHelpText(
      'after',
      explain(['credential remove orders-key --force'], { failed: 'refused, not found, or in use' }),
    )
    .action((id: string, { force }: { readonly force?: true }) =>
      onTarget((context) => remove(id, force === true, context)),
    );

  credential
    .command('hosts')
    .description('replace the allowed hosts of an outbound credential; new ones need its secret again')
    .argument('<id>', 'id of the credential', readId)
    .option('--host <pattern...>', HOST)
    .addHelpText('after', explain(['credential hosts people-api --host api.example.com']))
    .action((id: string, { host }: Pick<CreateOptions, 'host'>) =>
      onTarget((context) => changeHosts(id, host, context)),
    );

  credential
    .command('limits')
    .description('replace the limits on the calls of an outbound credential')
    .argument('<id>', 'id of the credential', readId)
    .option('--per-second <number>', PER_SECOND, readLimit('--per-second'))
    .option('--at-once <number>', AT_ONCE, readLimit('--at-once'))
    .option('--none', 'remove them')
    .addHelpText(
      'after',
      explain(['credential limits crm --per-second 10 --at-once 4', 'credential limits crm --none']),
    )
    .action(async (id: string, { none, ...options }: LimitOptions & { readonly none?: true }) => {
      const limits = toLimits(options) ?? null;
      if ((limits === null) !== (none === true))
        throw usageError('Name --per-second, --at-once or both; or use --none to remove the limits');
      await onTarget((context) => changeLimits(id, limits, context));
    });

  credential
    .command('test')
    .description('run the live test of an outbound credential')
    .argument('<id>', 'id of the credential', readId)
    .addHelpText(
      'after',
      explain(['credential test people-api'], { failed: 'not found, or the test failed' }),
    )
    .action((id: string) => onTarget((context) => testCredential(id, context)));

  credential
    .command('show')
    .description('show a credential and the workflow nodes that use it')
    .argument('<id>', 'id of the credential', readId)
    .option('--json', 'print JSON')
    .addHelpText('after', explain(['credential show orders-key']))
    .action((id: string, { json }: { readonly json?: true }) =>
      onTarget((context) => show(id, json === true, context)),
    );

  credential
    .command('list')
    .description('list credentials and the ids of their live secrets')
    .option('--json', 'print JSON')
    .addHelpText('after', explain(['credential list']))
    .action(({ json }: { readonly json?: true }) => onTarget((context) => list(json === true, context)));
};

/** An option's value would appear in shell histories and process lists. */
const PASSWORD_STDIN = 'read the password from standard input instead of generating one';

const HOST =
  "a host that an outbound credential may be sent to: api.example.com, *.example.com, localhost:8080; '*' is any host";

const PER_SECOND = 'calls with an outbound credential in any second; 0.5 is one in two seconds';

const AT_ONCE = 'calls with an outbound credential at a time';

const readLimit =
  (option: string) =>
  (text: string): number => {
    if (!/^\d{1,6}(?:\.\d{1,6})?$/.test(text) || Number(text) === 0)
      throw usageError(`${option} must be a number greater than 0`);
    return Number(text);
  };

const readPort = (text: string): number => {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw usageError('--port must be a number from 1 to 65535');
  return port;
};

const readUsername = (text: string): string => {
  if (text.includes(':')) throw usageError("A user name can't contain a colon (RFC 7617)");
  return text;
};

const remove = async (id: string, isForced: boolean, { io, target }: TargetContext): Promise<void> => {
  const query = { force: isForced ? 'true' : null };
  try {
    const { keptSecret } = await target.api.call<{ readonly keptSecret?: string }>(
      'DELETE',
      `${CREDENTIALS}/${id}`,
      { query },
    );
    io.print(`${id}: removed${keptSecret === undefined ? '' : '; its secret stays in Secrets Manager'}`);
  } catch (error) {
    if (error instanceof ApiProblem && Array.isArray(error.members.users))
      refuseUsed(id, error.members.users as readonly string[]);
    throw error;
  }
};

const show = async (id: string, asJson: boolean, context: TargetContext): Promise<void> => {
  const { io } = context;
  const found = await findCredential(id, context);
  if (asJson) return io.print(JSON.stringify(found, null, 2));
  const details =
    found.direction === 'inbound'
      ? [
          ['for', describePurpose(found)],
          ...found.secrets.map((secret) => ['secret', `${secret.id}, since ${secret.createdAt}`]),
        ]
      : [
          ['for', describePurpose(found)],
          ...Object.entries(found.fields).map(([name, value]) => ['field', `${name}=${value}`]),
          ...(found.limits === undefined ? [] : [['limits', describeLimits(found.limits)]]),
          ['secret', found.reference],
        ];
  const rows = [
    ['type', found.type],
    ...details,
    ['revision', String(found.revision)],
    ...found.users.map((user) => ['used by', describeUser(user)]),
  ];
  io.print(`${id}:`);
  for (const [label = '', value = ''] of rows) io.print(oneLine(`  ${label.padEnd(LABEL_WIDTH)}  ${value}`));
};

const LABEL_WIDTH = 'revision'.length;

const list = async (asJson: boolean, { io, target }: TargetContext): Promise<void> => {
  const found = await target.api.list<DescribedCredential>(CREDENTIALS, 'credentials');
  if (asJson) return io.print(JSON.stringify(found, null, 2));
  if (found.length === 0) return io.note('There are no credentials.');
  const rows = found.map((credential) => [
    credential.id,
    credential.type,
    describePurpose(credential),
    credential.direction === 'outbound'
      ? credential.reference
      : `live: ${credential.secrets.map(({ id }) => id).join(', ') || 'none'}`,
  ]);
  printTable({ titles: ['ID', 'TYPE', 'FOR', 'SECRET'], texts: ['FOR', 'SECRET'], rows }, io);
};

/** The callers that present a credential, or the hosts that it is sent to. */
const describePurpose = (credential: DescribedCredential): string => {
  if (credential.direction === 'outbound')
    return credential.hosts?.length === 0 ? 'nodes' : describeHosts(credential.hosts);
  return credential.username === null ? 'callers' : `callers as ${credential.username}`;
};
