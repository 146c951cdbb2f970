import type { CredentialFields, CredentialType } from '../lib/contract/credential-type.ts';
import { isPlainObject } from '../lib/contract/json.ts';
import { parseSecret } from '../lib/credentials/outbound/load-credential.ts';
import type { OutboundCredential } from '../lib/credentials/outbound/outbound-credential.ts';
import { MIN_SECRET_LENGTH } from '../lib/credentials/outbound/secret-encodings.ts';
import { testCredential } from '../lib/credentials/outbound/test-credential.ts';
import { didYouMean } from '../lib/shared/describe.ts';
import { findNearest } from '../lib/shared/near-name.ts';
import { checkSchema } from '../lib/workflows/validation/schema/check-schema.ts';
import type { TargetContext } from './command-context.ts';
import { CommandError, usageError } from './command-error.ts';
import type { Io } from './io.ts';

// Credentials for calling out.

export interface OutboundOptions {
  /** Public fields, each `name=value`. */
  readonly field?: readonly string[];
  /** ARN of a secret of Secrets Manager. */
  readonly ref?: string;
}

export const createOutbound = async (
  id: string,
  type: CredentialType,
  { field = [], ref }: OutboundOptions,
  { io, target }: TargetContext,
): Promise<void> => {
  const { store, secrets } = target.outbound;
  const fields = readPublicFields(type, field);
  const secret = ref === undefined ? await readSecrets(type, io) : await readBound(ref, type, target);
  checkFields(type, fields, secret);
  const reference = ref ?? (await secrets.put(id, JSON.stringify(secret)));
  await store.put({ id, type: type.id, fields, reference, revision: 1 });
  io.note(`${id}: created, of the type ${type.id}; its secret is in ${reference}`);
};

/** Replaces the secret fields that are given; the others stay. */
export const rotateOutbound = async (
  credential: OutboundCredential,
  { io, target }: TargetContext,
): Promise<void> => {
  const { store, secrets, findType } = target.outbound;
  const { id, reference } = credential;
  if (isBound(reference)) throw new CommandError(`The secret of ${id} is rotated where it is: ${reference}`);
  const type = await findType(credential.type);
  if (type === null)
    throw new CommandError(`No installed plugin brings the credential type ${credential.type}.`);
  const known = parseSecret((await secrets.get(reference)) ?? '{}', type) ?? {};
  const kept = Object.entries(known).filter(([name]) => askedFields(type).includes(name));
  const given = await readSecrets(type, io, 'stays when empty');
  const secret = { ...Object.fromEntries(kept), ...findReplaced(type, known, given), ...given };
  checkFields(type, credential.fields, secret);
  await secrets.put(id, JSON.stringify(secret));
  await store.put({ ...credential, revision: credential.revision + 1 });
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

export const testOutbound = async (id: string, { io, target }: TargetContext): Promise<void> => {
  const result = await testCredential(id, target.outbound, new AbortController().signal);
  if (result === null) return io.note(`${id}: its type has no live test`);
  const line = `${id}: ${result.status}${result.message === undefined ? '' : `, ${result.message}`}`;
  if (result.status === 'unhealthy') throw new CommandError(line);
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

/** Messages on secret fields show nothing of their values. */
const checkFields = (type: CredentialType, fields: CredentialFields, secret: CredentialFields): void => {
  const short = type.secretFields.filter((name) => {
    const length = secret[name]?.length ?? 0;
    return length > 0 && length < MIN_SECRET_LENGTH;
  });
  const problems = [
    ...short.map(
      (name) =>
        `${name} has ${MIN_SECRET_LENGTH} characters at least: a shorter one can't be kept out of data`,
    ),
    ...checkSchema(type.schema, { ...fields, ...secret }, '').map(({ path, message }) => {
      const name = path.slice(1);
      return type.secretFields.includes(name) ? `${name} is not valid` : `${name} ${message}`.trim();
    }),
  ];
  if (problems.length > 0)
    throw new CommandError(problems.map((problem) => `${type.id}: ${problem}`).join('\n'));
};
