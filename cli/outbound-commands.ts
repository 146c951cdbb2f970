import { isDeepStrictEqual } from 'node:util';
import { type CredentialFields, type CredentialType, isPlainObject } from '@hookloom/plugin-kit';
import { checkSchema } from '../authoring/validation/schema/check-schema.ts';
import { ANY_HOST, hostOfUrl, isForHost, readHostPattern } from '../lib/credentials/outbound/host-pattern.ts';
import { parseSecret } from '../lib/credentials/outbound/load-credential.ts';
import type { OutboundCredential } from '../lib/credentials/outbound/outbound-credential.ts';
import { MIN_SECRET_LENGTH } from '../lib/credentials/outbound/secret-encodings.ts';
import { didYouMean, quote } from '../lib/shared/describe.ts';
import { findNearest } from '../lib/shared/near-name.ts';
import type { TargetContext } from './command-context.ts';
import { CommandError, usageError } from './command-error.ts';
import type { Io } from './io.ts';

// Credentials for calling out.

export interface OutboundOptions {
  /** Public fields, each `name=value`. */
  readonly field?: readonly string[];
  /** ARN of a secret of Secrets Manager. */
  readonly ref?: string;
  /** Patterns of the hosts that it is for. */
  readonly host?: readonly string[];
}

export const createOutbound = async (
  id: string,
  type: CredentialType,
  { field = [], ref, host }: OutboundOptions,
  { io, target }: TargetContext,
): Promise<void> => {
  const { store, secrets } = target.outbound;
  const fields = readPublicFields(type, field);
  const named = await nameHosts(type, fields, host, io);
  const secret = ref === undefined ? await readSecrets(type, io) : await readBound(ref, type, target);
  checkFields(type, fields, secret);
  const hosts = named ?? hostsByType(type, { ...fields, ...secret });
  checkTestUrl(type, fields, hosts);
  const reference = ref ?? (await secrets.put(id, JSON.stringify(secret)));
  await store.put({ id, type: type.id, fields, hosts, reference, revision: 1 });
  const where = hosts.length === 0 ? '' : `, for ${describeHosts(hosts)}`;
  io.note(`${id}: created, of the type ${type.id}${where}; its secret is in ${reference}`);
  warnOfAnyHost(id, hosts, io);
};

const warnOfAnyHost = (id: string, hosts: readonly string[], io: Io): void => {
  if (hosts.includes(ANY_HOST))
    io.note(io.paint('yellow', `${id}: any URL that a workflow makes of its input gets this credential`));
};

/** Replaces the hosts that a credential is for. */
export const changeHosts = async (
  credential: OutboundCredential,
  host: readonly string[] | undefined,
  { io, target }: TargetContext,
): Promise<void> => {
  const { store, secrets } = target.outbound;
  const { id, fields, reference } = credential;
  const type = await findInstalledType(credential, target);
  const named = await nameHosts(type, fields, host, io);
  const secret = async () => parseSecret((await secrets.get(reference)) ?? '', type) ?? {};
  const hosts = named ?? hostsByType(type, { ...fields, ...(await secret()) });
  checkTestUrl(type, fields, hosts);
  await store.put({ ...credential, hosts, revision: credential.revision + 1 });
  const shown = hosts.length === 0 ? 'for no host: its type lends its fields' : `for ${describeHosts(hosts)}`;
  io.print(`${id}: ${shown}; every sandbox knows within a minute`);
  warnOfAnyHost(id, hosts, io);
};

/** Replaces the secret fields that are given; the others stay. */
export const rotateOutbound = async (
  credential: OutboundCredential,
  { io, target }: TargetContext,
): Promise<void> => {
  const { store, secrets } = target.outbound;
  const { id, reference, fields } = credential;
  if (isBound(reference)) throw new CommandError(`The secret of ${id} is rotated where it is: ${reference}`);
  const type = await findInstalledType(credential, target);
  const known = parseSecret((await secrets.get(reference)) ?? '{}', type) ?? {};
  const kept = Object.entries(known).filter(([name]) => askedFields(type).includes(name));
  const given = await readSecrets(type, io, 'stays when empty');
  const secret = { ...Object.fromEntries(kept), ...findReplaced(type, known, given), ...given };
  checkFields(type, fields, secret);
  const hosts = followHosts(type, credential, { ...fields, ...known }, { ...fields, ...secret });
  await secrets.put(id, JSON.stringify(secret));
  await store.put({ ...credential, hosts, revision: credential.revision + 1 });
  io.note(`${id}: rotated; every sandbox has the new secret within a minute`);
};

/** The fields that keep the one that another field has replaced, so that both are live: `previousOf` in the schema. */
const findReplaced = (type: CredentialType, known: CredentialFields, given: CredentialFields) =>
  Object.fromEntries(
    type.secretFields.flatMap((name) => {
      const source = String(annotation(type, name, 'previousOf') ?? name);
      if (source === name) return [];
      const isReplaced = given[source] !== undefined && given[source] !== known[source];
      const kept = isReplaced ? known[source] : known[name];
      return kept === undefined ? [] : [[name, kept] as const];
    }),
  );

/** The secret first: when that fails, the command can be repeated. */
export const removeOutbound = async (
  { id, reference }: OutboundCredential,
  { io, target }: TargetContext,
): Promise<void> => {
  await target.outbound.secrets.remove(reference);
  await target.outbound.store.remove(id);
  io.print(`${id}: removed${isBound(reference) ? '; its secret stays in Secrets Manager' : ''}`);
};

/** By the service: what it reaches, reads and may do is what counts. */
export const testOutbound = async (id: string, { io, target }: TargetContext): Promise<void> => {
  const { statusCode, body } = await target.testCredential(id);
  const { status, message, detail } = JSON.parse(body) as Readonly<Record<string, string>>;
  if (statusCode !== 200) throw new CommandError(`${id}: ${detail ?? `the service answered ${statusCode}`}`);
  if (status === 'untested') return io.note(`${id}: ${message}`);
  const line = `${id}: ${status}${message === undefined ? '' : `, ${message}`}`;
  if (status === 'unhealthy') throw new CommandError(line);
  io.print(line);
};

/** @throws CommandError that lists the types */
export const findCredentialType = (
  name: string,
  types: ReadonlyMap<string, CredentialType>,
  others: readonly string[],
): CredentialType => {
  const type = types.get(name);
  if (type !== undefined) return type;
  const names = [...others, ...types.keys()];
  throw usageError(
    `There is no credential type "${name}"${didYouMean(findNearest(name, names))} Types: ${names.join(', ')}`,
  );
};

const findInstalledType = async (
  { type: name }: OutboundCredential,
  { outbound }: TargetContext['target'],
): Promise<CredentialType> => {
  const type = await outbound.findType(name);
  if (type === null) throw new CommandError(`No installed plugin brings the credential type ${name}.`);
  return type;
};

/**
 * The hosts that the operator names: by options, else, where the type does not say them, on a terminal or by `testUrl`.
 *
 * @returns null for those of the type
 */
const nameHosts = async (
  type: CredentialType,
  { testUrl = '' }: CredentialFields,
  given: readonly string[] | undefined,
  io: Io,
): Promise<readonly string[] | null> => {
  if (type.apply === undefined && type.hosts === undefined) {
    if (given !== undefined)
      throw usageError(`${type.id} lends its fields to nodes and is added to no request: it takes no --host`);
    return [];
  }
  if (given !== undefined) return readHosts(given);
  if (type.hosts !== undefined) return null;
  const proposal = hostOfUrl(testUrl);
  if (!io.isTerminal) {
    if (proposal !== null) return [proposal];
    throw usageError(
      `--host NAME is needed: the host that the credential is for, such as ${EXAMPLES}. Name several by several --host, and any host by --host '*'`,
    );
  }
  const hint = proposal === null ? '' : ` (${proposal} when empty)`;
  const answer = await io.ask(`Hosts that it is for, such as ${EXAMPLES}, separated by spaces${hint}: `);
  const typed = answer.split(/[\s,]+/).filter((host) => host !== '');
  if (typed.length === 0 && proposal === null)
    throw new CommandError('A credential names the hosts that it is for; * is any host.');
  return typed.length === 0 && proposal !== null ? [proposal] : readHosts(typed);
};

const EXAMPLES = 'api.example.com, *.example.com or localhost:8080';

/** @throws CommandError for what is no pattern of hosts */
const readHosts = (given: readonly string[]): readonly string[] => {
  const patterns = given.map((text) => {
    const pattern = readHostPattern(text);
    if (pattern !== null) return pattern;
    throw usageError(`${quote(text)} is no host: write it as ${EXAMPLES}${didYouMean(hostOfUrl(text))}`);
  });
  return [...new Set(patterns)];
};

const hostsByType = ({ id, hosts = [] }: CredentialType, fields: CredentialFields): readonly string[] => {
  const told = typeof hosts === 'function' ? hosts(fields) : hosts;
  return told.map((text) => {
    const pattern = readHostPattern(text);
    if (pattern === null)
      throw new CommandError(`${id}: its type makes no host of the fields: name it by --host`);
    return pattern;
  });
};

/** The hosts after a rotation: those that the type made of the secret follow it, named ones stay. */
const followHosts = (
  type: CredentialType,
  { hosts }: OutboundCredential,
  before: CredentialFields,
  after: CredentialFields,
): readonly string[] | null => {
  if (hosts === null || typeof type.hosts !== 'function') return hosts;
  try {
    return isDeepStrictEqual(hostsByType(type, before), hosts) ? hostsByType(type, after) : hosts;
  } catch {
    return hosts; // the fields before were none that a host can be made of
  }
};

/** The live test sends the credential there. */
const checkTestUrl = (
  { id }: CredentialType,
  { testUrl = '' }: CredentialFields,
  hosts: readonly string[],
): void => {
  if (testUrl !== '' && hosts.length > 0 && !isForHost(hosts, testUrl))
    throw new CommandError(
      `${id}: testUrl is at ${hostOfUrl(testUrl)}, and the credential is for ${describeHosts(hosts)} alone`,
    );
};

/** For lists and messages. @param hosts - null: created before credentials named hosts */
export const describeHosts = (hosts: readonly string[] | null): string =>
  hosts === null ? 'any host' : hosts.includes(ANY_HOST) ? `${ANY_HOST} (any host)` : hosts.join(', ');

const isBound = (reference: string): boolean => reference.startsWith('arn:');

const propertiesOf = ({ schema }: CredentialType): Readonly<Record<string, unknown>> =>
  isPlainObject(schema.properties) ? schema.properties : {};

const annotation = (type: CredentialType, name: string, key: string): unknown => {
  const property = propertiesOf(type)[name];
  return isPlainObject(property) ? property[key] : undefined;
};

/** The secret fields, without those that the service itself keeps. */
const askedFields = (type: CredentialType): string[] =>
  type.secretFields.filter((name) => annotation(type, name, 'readOnly') !== true);

/** The public fields, with defaults. */
const readPublicFields = (type: CredentialType, given: readonly string[]): CredentialFields => {
  const names = Object.keys(propertiesOf(type)).filter(
    (name) => !type.secretFields.includes(name) && annotation(type, name, 'readOnly') !== true,
  );
  const fields = given.map((text) => {
    const at = text.indexOf('=');
    const name = at < 0 ? text : text.slice(0, at);
    if (type.secretFields.includes(name))
      throw usageError(`${name} is secret: it is asked for, or read from standard input, never an option`);
    if (!names.includes(name))
      throw usageError(
        `${type.id} has no field "${name}"${didYouMean(findNearest(name, names))} Fields: ${names.join(', ')}`,
      );
    if (at < 0) throw usageError(`--field ${name} needs a value: ${name}=VALUE`);
    return [name, text.slice(at + 1)] as const;
  });
  const initial = names.flatMap((name) => {
    const value = annotation(type, name, 'default');
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return Object.fromEntries([...initial, ...fields]);
};

/** Asks for the secret fields on a terminal, without echo; otherwise standard input is JSON, or the only one of them. */
const readSecrets = async (
  type: CredentialType,
  io: Io,
  whenEmpty = 'none when empty',
): Promise<CredentialFields> => {
  const names = askedFields(type);
  if (names.length === 0) return {};
  const required = Array.isArray(type.schema.required) ? type.schema.required : [];
  if (!io.isTerminal) {
    const text = (await io.readStdin()).replace(/\r?\n$/, '');
    const secret = parseSecret(text, { secretFields: names });
    if (secret !== null) return secret;
    const example = JSON.stringify(Object.fromEntries(names.map((name) => [name, '…'])));
    throw new CommandError(`Standard input has no secret of the type ${type.id}: it must be ${example}`);
  }
  const fields: [string, string][] = [];
  for (const name of names) {
    const hint = required.includes(name) && whenEmpty !== 'stays when empty' ? '' : ` (${whenEmpty})`;
    const value = await io.askSecret(`${String(annotation(type, name, 'description') ?? name)}${hint}: `);
    if (value !== '') fields.push([name, value]);
  }
  return Object.fromEntries(fields);
};

/** The secret that a credential is bound to, to check it. */
const readBound = async (
  ref: string,
  type: CredentialType,
  { outbound, tablePrefix, baseUrl }: TargetContext['target'],
): Promise<CredentialFields> => {
  if (baseUrl !== null)
    throw usageError('--ref needs --stage NAME: the local service reads no secrets of AWS');
  const [, name = ''] = /^arn:aws[a-z-]*:secretsmanager:[a-z\d-]+:\d{12}:secret:(.+)$/.exec(ref) ?? [];
  if (name === '') throw usageError('--ref must be the ARN of a secret of Secrets Manager');
  if (!name.startsWith(`${tablePrefix}/`))
    throw new CommandError(`The functions may read secrets named ${tablePrefix}/…, and this is ${name}.`);
  const secret = parseSecret((await outbound.secrets.get(ref)) ?? '', type);
  if (secret === null)
    throw new CommandError(`${ref} has no secret of the type ${type.id}, or does not exist.`);
  return secret;
};

/** The beginning of a sender's secret, without the secret. */
const SENDER_PREFIX = /^wh(?:sec|pk)_$/;

/** Messages on secret fields show nothing of their values. */
const checkFields = (type: CredentialType, fields: CredentialFields, secret: CredentialFields): void => {
  const short = type.secretFields.filter((name) => {
    const { [name]: value = '' } = secret;
    return value !== '' && (value.trim().length < MIN_SECRET_LENGTH || SENDER_PREFIX.test(value.trim()));
  });
  const problems = [
    ...short.map(
      (name) =>
        `${name} needs at least ${MIN_SECRET_LENGTH} characters beside blanks and a prefix such as whsec_: shorter ones can't be redacted reliably`,
    ),
    ...checkSchema(type.schema, { ...fields, ...secret }, '').map(({ path, message }) => {
      const name = path.slice(1);
      return type.secretFields.includes(name) ? `${name} is not valid` : `${name} ${message}`.trim();
    }),
  ];
  if (problems.length > 0)
    throw new CommandError(problems.map((problem) => `${type.id}: ${problem}`).join('\n'));
};
