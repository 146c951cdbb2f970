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

// Outbound credentials.

export interface OutboundOptions {
  /** The public fields of the credential, each as `name=value`. */
  readonly field?: readonly string[];
  /** ARN of a secret of Secrets Manager. */
  readonly ref?: string;
  /** Patterns of the hosts that the credential may be sent to. */
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
    io.note(
      io.paint(
        'yellow',
        `${id}: this credential is sent to any URL, even one that a workflow computes from its input`,
      ),
    );
};

/** Replaces a credential's allowed hosts. */
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
  const shown =
    hosts.length === 0 ? 'for no host: its fields are passed to nodes' : `for ${describeHosts(hosts)}`;
  io.print(`${id}: ${shown}; takes effect in every sandbox within a minute`);
  warnOfAnyHost(id, hosts, io);
};

/** Replaces the secret fields that are given; the others stay. */
export const rotateOutbound = async (
  credential: OutboundCredential,
  { io, target }: TargetContext,
): Promise<void> => {
  const { store, secrets } = target.outbound;
  const { id, reference, fields } = credential;
  if (isBound(reference))
    throw new CommandError(`Rotate the secret of ${id} where it is stored: ${reference}`);
  const type = await findInstalledType(credential, target);
  const known = parseSecret((await secrets.get(reference)) ?? '{}', type) ?? {};
  const kept = Object.entries(known).filter(([name]) => askedFields(type).includes(name));
  const given = await readSecrets(type, io, 'leave empty to keep');
  const secret = { ...Object.fromEntries(kept), ...findReplaced(type, known, given), ...given };
  checkFields(type, fields, secret);
  const hosts = followHosts(type, credential, { ...fields, ...known }, { ...fields, ...secret });
  await secrets.put(id, JSON.stringify(secret));
  await store.put({ ...credential, hosts, revision: credential.revision + 1 });
  io.note(`${id}: rotated; every sandbox uses the new secret within a minute`);
};

/** The fields that keep the replaced value of another field, so that both are live: `previousOf` in the schema. */
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

/** Removes the secret first, so that the command can be repeated if that fails. */
export const removeOutbound = async (
  { id, reference }: OutboundCredential,
  { io, target }: TargetContext,
): Promise<void> => {
  await target.outbound.secrets.remove(reference);
  await target.outbound.store.remove(id);
  io.print(`${id}: removed${isBound(reference) ? '; its secret stays in Secrets Manager' : ''}`);
};

/** Runs in the service: its network and permissions are what matters. */
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
  if (type === null) throw new CommandError(`No installed plugin provides the credential type ${name}.`);
  return type;
};

/**
 * The hosts named by the operator: with options, or, if the type does not define them, on a terminal or through `testUrl`.
 *
 * @returns null to use the type's hosts
 */
const nameHosts = async (
  type: CredentialType,
  { testUrl = '' }: CredentialFields,
  given: readonly string[] | undefined,
  io: Io,
): Promise<readonly string[] | null> => {
  if (type.apply === undefined && type.hosts === undefined) {
    if (given !== undefined)
      throw usageError(
        `${type.id} passes its fields to nodes and is never added to a request: remove --host`,
      );
    return [];
  }
  if (given !== undefined) return readHosts(given);
  if (type.hosts !== undefined) return null;
  const proposal = hostOfUrl(testUrl);
  if (!io.isTerminal) {
    if (proposal !== null) return [proposal];
    throw usageError(
      `--host NAME is required: the host that the credential may be sent to, such as ${EXAMPLES}. Repeat --host for several hosts; --host '*' allows any host`,
    );
  }
  const hint = proposal === null ? '' : ` (${proposal} if empty)`;
  const answer = await io.ask(`Allowed hosts, such as ${EXAMPLES}, separated by spaces${hint}: `);
  const typed = answer.split(/[\s,]+/).filter((host) => host !== '');
  if (typed.length === 0 && proposal === null)
    throw new CommandError('A credential must name its allowed hosts; * allows any host.');
  return typed.length === 0 && proposal !== null ? [proposal] : readHosts(typed);
};

const EXAMPLES = 'api.example.com, *.example.com or localhost:8080';

/** @throws CommandError when a text is not a host pattern */
const readHosts = (given: readonly string[]): readonly string[] => {
  const patterns = given.map((text) => {
    const pattern = readHostPattern(text);
    if (pattern !== null) return pattern;
    throw usageError(`${quote(text)} is not a host: write it as ${EXAMPLES}${didYouMean(hostOfUrl(text))}`);
  });
  return [...new Set(patterns)];
};

const hostsByType = ({ id, hosts = [] }: CredentialType, fields: CredentialFields): readonly string[] => {
  const told = typeof hosts === 'function' ? hosts(fields) : hosts;
  return told.map((text) => {
    const pattern = readHostPattern(text);
    if (pattern === null)
      throw new CommandError(`${id}: its type derives no host from the fields: add --host`);
    return pattern;
  });
};

/** The hosts after a rotation: hosts that the type derived from the secret change with it, named ones stay. */
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
    return hosts; // no host could be derived from the previous fields
  }
};

/** Checks that the live test may send the credential to its URL. */
const checkTestUrl = (
  { id }: CredentialType,
  { testUrl = '' }: CredentialFields,
  hosts: readonly string[],
): void => {
  if (testUrl !== '' && hosts.length > 0 && !isForHost(hosts, testUrl))
    throw new CommandError(
      `${id}: testUrl is at ${hostOfUrl(testUrl)}, but the credential is only for ${describeHosts(hosts)}`,
    );
};

/** Describes allowed hosts for lists and messages. @param hosts - null: created before credentials named hosts */
export const describeHosts = (hosts: readonly string[] | null): string =>
  hosts === null ? 'any host' : hosts.includes(ANY_HOST) ? `${ANY_HOST} (any host)` : hosts.join(', ');

const isBound = (reference: string): boolean => reference.startsWith('arn:');

const propertiesOf = ({ schema }: CredentialType): Readonly<Record<string, unknown>> =>
  isPlainObject(schema.properties) ? schema.properties : {};

const annotation = (type: CredentialType, name: string, key: string): unknown => {
  const property = propertiesOf(type)[name];
  return isPlainObject(property) ? property[key] : undefined;
};

/** The secret fields, except those that the service itself maintains. */
const askedFields = (type: CredentialType): string[] =>
  type.secretFields.filter((name) => annotation(type, name, 'readOnly') !== true);

/** Returns the public fields, with defaults. */
const readPublicFields = (type: CredentialType, given: readonly string[]): CredentialFields => {
  const names = Object.keys(propertiesOf(type)).filter(
    (name) => !type.secretFields.includes(name) && annotation(type, name, 'readOnly') !== true,
  );
  const fields = given.map((text) => {
    const at = text.indexOf('=');
    const name = at < 0 ? text : text.slice(0, at);
    if (type.secretFields.includes(name))
      throw usageError(
        `${name} is secret: it is prompted for or read from standard input, never passed as an option`,
      );
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

/** Prompts for the secret fields on a terminal, without echo; otherwise reads JSON, or the only field, from standard input. */
const readSecrets = async (
  type: CredentialType,
  io: Io,
  whenEmpty = 'none if empty',
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
    const hint = required.includes(name) && whenEmpty !== 'leave empty to keep' ? '' : ` (${whenEmpty})`;
    const value = await io.askSecret(`${String(annotation(type, name, 'description') ?? name)}${hint}: `);
    if (value !== '') fields.push([name, value]);
  }
  return Object.fromEntries(fields);
};

/** Reads the secret that a credential is bound to, to check it. */
const readBound = async (
  ref: string,
  type: CredentialType,
  { outbound, tablePrefix, baseUrl }: TargetContext['target'],
): Promise<CredentialFields> => {
  if (baseUrl !== null)
    throw usageError("--ref needs --stage NAME: the local service can't read AWS secrets");
  const [, name = ''] = /^arn:aws[a-z-]*:secretsmanager:[a-z\d-]+:\d{12}:secret:(.+)$/.exec(ref) ?? [];
  if (name === '') throw usageError('--ref must be the ARN of a Secrets Manager secret');
  if (!name.startsWith(`${tablePrefix}/`))
    throw new CommandError(`The functions may read only secrets named ${tablePrefix}/…, got ${name}.`);
  const secret = parseSecret((await outbound.secrets.get(ref)) ?? '', type);
  if (secret === null)
    throw new CommandError(`${ref} has no secret of the type ${type.id}, or does not exist.`);
  return secret;
};

/** The prefix of a webhook sender's secret. */
const SENDER_PREFIX = /^wh(?:sec|pk)_$/;

/** Messages about secret fields don't reveal their values. */
const checkFields = (type: CredentialType, fields: CredentialFields, secret: CredentialFields): void => {
  const short = type.secretFields.filter((name) => {
    const { [name]: value = '' } = secret;
    return value !== '' && (value.trim().length < MIN_SECRET_LENGTH || SENDER_PREFIX.test(value.trim()));
  });
  const problems = [
    ...short.map(
      (name) =>
        `${name} needs at least ${MIN_SECRET_LENGTH} characters, not counting spaces and a prefix such as whsec_: shorter ones can't be redacted reliably`,
    ),
    ...checkSchema(type.schema, { ...fields, ...secret }, '').map(({ path, message }) => {
      const name = path.slice(1);
      return type.secretFields.includes(name) ? `${name} is not valid` : `${name} ${message}`.trim();
    }),
  ];
  if (problems.length > 0)
    throw new CommandError(problems.map((problem) => `${type.id}: ${problem}`).join('\n'));
};
