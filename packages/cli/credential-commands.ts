import type { Command } from 'commander';
import type { DescribedCredential } from '../../lib/app/credentials.ts';
import { describeLimits } from '../../lib/credentials/limits/call-limits.ts';
import { describeHosts } from '../../lib/credentials/outbound/outbound-rules.ts';
import { describeUser } from '../../lib/workflows/definition/find-users.ts';
import { removeUnused } from './admin-api.ts';
import { addTo, type CommandContext } from './command.ts';
import { usageError } from './command-error.ts';
import { connectCredential } from './connect-credential.ts';
import {
  CREATE_OPTIONS,
  CREDENTIALS,
  type CreateOptions,
  describeExpiry,
  EXPIRES,
  findCredential,
  HOST,
  LIMITS,
  PASSWORD_STDIN,
  readPort,
  type ShownCredential,
} from './credential-api.ts';
import {
  checkInboundOptions,
  createInbound,
  INBOUND,
  revokeSecret,
  rotateInbound,
} from './inbound-credentials.ts';
import { printJson } from './io.ts';
import {
  changeHosts,
  changeLimits,
  createOutbound,
  rotateOutbound,
  testCredential,
  toLimits,
} from './outbound-credentials.ts';
import { JSON_OUTPUT, readId } from './read-arguments.ts';
import { oneLine, printTable } from './table.ts';

export const addCredentialCommands = (program: Command, context: CommandContext): void => {
  const group = program.command('credential').description('manage secrets of callers and outbound secrets');
  const add = addTo(group, context);

  add('create', {
    about: "create a credential; a caller's secret is printed once",
    arguments: [['<id>', 'id of the new credential', readId]],
    options: CREATE_OPTIONS,
    examples: [
      'credential create shop-key --type apiKey',
      'credential create crm --type httpBearer --host crm.example.com',
      'credential create mail --type oauth2 --preset google --field clientId=ID',
    ],
    check: (_id, options) => {
      if (isForCallers(options)) checkInboundOptions(options);
      else if (options.username !== undefined || options.passwordStdin === true)
        throw usageError('--username and --password-stdin are for the type basic; other types use --field');
    },
    run: (id, onTarget, options) =>
      (isForCallers(options) ? createInbound : createOutbound)(id, options, onTarget),
  });

  add('rotate', {
    about: 'add and print a secret for callers, keeping earlier ones live; or replace an outbound secret',
    arguments: [CREDENTIAL],
    options: [PASSWORD_STDIN, EXPIRES],
    examples: ['credential rotate orders-key', 'credential rotate crm --expires 2027-01-31'],
    run: async (id, onTarget, options) => {
      const found = await findCredential(id, onTarget);
      if (found.direction === 'inbound') await rotateInbound(found, options, onTarget);
      else await rotateOutbound(found, options, onTarget);
    },
  });

  add('connect', {
    about: 'sign in, for an oauth2 credential with the grant authorizationCode',
    arguments: [CREDENTIAL],
    options: [
      ['--port <number>', 'port of the redirect to this machine; any free one by default', readPort, 0],
    ],
    examples: ['credential connect mail', 'credential connect mail --port 8123'],
    run: connectCredential,
  });

  add('revoke', {
    about: 'revoke one secret of callers, or all',
    arguments: [CREDENTIAL, ['[secretId]', 'id of the secret; see credential list']],
    options: [['--all', 'revoke all secrets']],
    examples: ['credential revoke orders-key 1'],
    check: (_id, secretId, { all }) => {
      if ((secretId === undefined) !== (all === true))
        throw usageError('Name the secret to revoke, or use --all');
    },
    run: revokeSecret,
  });

  add('remove', {
    about: 'remove a credential and its secrets',
    arguments: [CREDENTIAL],
    options: [['--force', 'remove it even if workflow nodes use it']],
    examples: ['credential remove orders-key --force'],
    failed: 'refused, not found, or in use',
    run: async (id, { io, target }, { force }) => {
      const path = `${CREDENTIALS}/${id}`;
      const { keptSecret } = await removeUnused<{ readonly keptSecret?: string }>(
        id,
        path,
        force,
        target.api,
      );
      io.print(`${id}: removed${keptSecret === undefined ? '' : '; its secret stays in Secrets Manager'}`);
    },
  });

  add('hosts', {
    about: 'replace the allowed hosts of an outbound credential; new ones need its secret again',
    arguments: [CREDENTIAL],
    options: [HOST],
    examples: ['credential hosts people-api --host api.example.com'],
    run: changeHosts,
  });

  add('limits', {
    about: 'replace the limits on the calls of an outbound credential',
    arguments: [CREDENTIAL],
    options: [...LIMITS, ['--none', 'remove them']],
    examples: ['credential limits crm --per-second 10 --at-once 4', 'credential limits crm --none'],
    check: (_id, { none, ...options }) => {
      if ((toLimits(options) === undefined) !== (none === true))
        throw usageError('Name --per-second, --at-once or both; or use --none to remove the limits');
    },
    run: changeLimits,
  });

  add('test', {
    about: 'run the live test of an outbound credential',
    arguments: [CREDENTIAL],
    examples: ['credential test people-api'],
    failed: 'not found, or the test failed',
    run: testCredential,
  });

  add('show', {
    about: 'show a credential and the workflow nodes that use it',
    arguments: [CREDENTIAL],
    options: [JSON_OUTPUT],
    examples: ['credential show orders-key'],
    run: async (id, onTarget, { json }) => {
      const { io } = onTarget;
      const found = await findCredential(id, onTarget);
      if (json === true) return printJson(found, io);
      io.print(`${id}:`);
      for (const [label = '', value = ''] of toDetails(found))
        io.print(oneLine(`  ${label.padEnd(LABEL_WIDTH)}  ${value}`));
    },
  });

  add('list', {
    about: 'list credentials and the ids of their live secrets',
    options: [JSON_OUTPUT],
    examples: ['credential list'],
    run: async ({ io, target }, { json }) => {
      const found = await target.api.list<DescribedCredential>(CREDENTIALS, 'credentials');
      if (json === true) return printJson(found, io);
      if (found.length === 0) return io.note('There are no credentials.');
      const rows = found.map((credential) => [
        credential.id,
        credential.type,
        describePurpose(credential),
        describeExpiry(credential.expiresAt),
        credential.direction === 'outbound'
          ? credential.reference
          : `live: ${credential.secrets.map((secret) => secret.id).join(', ') || 'none'}`,
      ]);
      printTable({ titles: ['ID', 'TYPE', 'FOR', 'EXPIRES', 'SECRET'], texts: ['FOR', 'SECRET'], rows }, io);
    },
  });
};

const CREDENTIAL = ['<id>', 'id of the credential', readId] as const;

const isForCallers = ({ type }: CreateOptions): boolean => INBOUND.some((inbound) => inbound === type);

const toDetails = (found: ShownCredential): readonly (readonly string[])[] => {
  const purpose = ['for', describePurpose(found)];
  const details =
    found.direction === 'inbound'
      ? [purpose, ...found.secrets.map((secret) => ['secret', `${secret.id}, since ${secret.createdAt}`])]
      : [
          purpose,
          ...Object.entries(found.fields).map(([name, value]) => ['field', `${name}=${value}`]),
          ...(found.limits === undefined ? [] : [['limits', describeLimits(found.limits)]]),
          ['secret', found.reference],
        ];
  return [
    ['type', found.type],
    ...details,
    ...(found.expiresAt === undefined ? [] : [['expires', describeExpiry(found.expiresAt)]]),
    ['revision', String(found.revision)],
    ...found.users.map((user) => ['used by', describeUser(user)]),
  ];
};

const LABEL_WIDTH = 'revision'.length;

/** The callers that present a credential, or the hosts that it is sent to. */
const describePurpose = (credential: DescribedCredential): string => {
  if (credential.direction === 'outbound')
    return credential.hosts?.length === 0 ? 'nodes' : describeHosts(credential.hosts);
  return credential.username === null ? 'callers' : `callers as ${credential.username}`;
};
