import { isDeepStrictEqual } from 'node:util';
import {
  type CredentialFields,
  type CredentialType,
  isPlainObject,
  type JsonObject,
} from '@hookloom/plugin-kit';
import { findHostsRule } from '@hookloom/plugin-kit/host';
import { didYouMean, quote, toPointerKey } from '../../shared/describe.ts';
import { CREDENTIAL_INVALID } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import { findNearest } from '../../shared/near-name.ts';
import { ANY_HOST, findAddedHosts, hostOfUrl, isForHost, readHostPattern } from './host-pattern.ts';
import type { OutboundCredential } from './outbound-credential.ts';
import { MIN_SECRET_LENGTH } from './secret-encodings.ts';

// The rules for creating and changing outbound credentials. All throw AppError `CREDENTIAL_INVALID` with the problems of a
// request. Problems of secret fields never contain their values.

/** A problem of a request's body. */
export interface CredentialProblem {
  /** Its place: a JSON pointer as a URI fragment (RFC 6901 §6). */
  readonly pointer: string;
  readonly detail: string;
}

/**
 * Checks fields against the schema of their type.
 *
 * @returns problems by JSON pointer; empty for the fields as a whole
 */
export type CheckFields = (
  schema: JsonObject,
  fields: CredentialFields,
) => readonly { readonly path: string; readonly message: string }[];

type FieldsOfType = Pick<CredentialType, 'schema' | 'secretFields'>;

/** The public fields that a person may set. */
export const publicFieldsOf = (type: FieldsOfType): string[] =>
  Object.keys(propertiesOf(type)).filter(
    (name) => !type.secretFields.includes(name) && readAnnotation(type, name, 'readOnly') !== true,
  );

/** The secret fields to ask for: all except those that the service itself maintains. */
export const askedFieldsOf = (type: FieldsOfType): string[] =>
  type.secretFields.filter((name) => readAnnotation(type, name, 'readOnly') !== true);

const propertiesOf = ({ schema }: FieldsOfType): Readonly<Record<string, unknown>> =>
  isPlainObject(schema.properties) ? schema.properties : {};

/** A keyword in the schema of a field. */
export const readAnnotation = (type: FieldsOfType, name: string, keyword: string): unknown => {
  const property = propertiesOf(type)[name];
  return isPlainObject(property) ? property[keyword] : undefined;
};

interface OutboundDraft {
  /** Public fields, without defaults. */
  readonly fields: CredentialFields;
  readonly secrets: CredentialFields;
  /** Host patterns as a person wrote them; undefined to use those of the type or the host of `testUrl`. */
  readonly hosts: readonly string[] | undefined;
  /** Whether the secret is stored elsewhere: it may then have other fields as well. */
  readonly isBound: boolean;
}

/** Returns the public fields with defaults, and the hosts, of a new credential. @throws AppError `CREDENTIAL_INVALID` */
export const draftOutbound = (
  type: CredentialType,
  { fields: given, secrets, hosts, isBound }: OutboundDraft,
  check: CheckFields,
): Pick<OutboundCredential, 'fields'> & { readonly hosts: readonly string[] } => {
  const names = publicFieldsOf(type);
  refuseProblems([
    ...findUnknownFields(type, Object.keys(given), names),
    ...(isBound ? [] : findMisplacedSecrets(Object.keys(secrets), names)),
  ]);
  const initial = names.flatMap((name) => {
    const value = readAnnotation(type, name, 'default');
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  const fields = { ...Object.fromEntries(initial), ...given };
  refuseProblems(findFieldProblems(type, fields, secrets, check));
  return { fields, hosts: resolveHosts(type, fields, secrets, hosts) };
};

/**
 * Replaces the secret fields that are given; the others stay, except for those that the service maintains. A field with
 * `previousOf` in its schema keeps the replaced value of another one, so that both are live.
 *
 * @param known - the stored secret fields
 * @throws AppError `CREDENTIAL_INVALID`
 */
export const rotateOutbound = (
  type: CredentialType,
  { fields, hosts }: Pick<OutboundCredential, 'fields' | 'hosts'>,
  known: CredentialFields,
  given: CredentialFields,
  check: CheckFields,
): Pick<OutboundCredential, 'hosts'> & { readonly secrets: CredentialFields } => {
  refuseProblems(findMisplacedSecrets(Object.keys(given), publicFieldsOf(type)));
  const kept = Object.entries(known).filter(([name]) => askedFieldsOf(type).includes(name));
  const secrets = { ...Object.fromEntries(kept), ...findReplaced(type, known, given), ...given };
  refuseProblems(findFieldProblems(type, fields, secrets, check));
  const followed = followHosts(type, hosts, { ...fields, ...known }, { ...fields, ...secrets });
  const added = findAddedHosts(hosts, followed ?? []);
  if (added.length === 0) return { secrets, hosts: followed };
  return { secrets: replaceSecrets(type, fields, added, given, check), hosts: followed };
};

/**
 * The secret fields for hosts that are added: all of them are given again, and nothing of the stored ones is kept.
 * Otherwise a caller could have a secret that it does not know sent to any host that it names.
 *
 * @param added - patterns
 * @throws AppError `CREDENTIAL_INVALID`
 */
export const replaceSecrets = (
  type: CredentialType,
  fields: CredentialFields,
  added: readonly string[],
  given: CredentialFields | undefined,
  check: CheckFields,
): CredentialFields => {
  if (given === undefined)
    return refuseField(
      '#/secrets',
      `are missing: ${describeHosts(added)} would get the stored secret, so give all of its fields again`,
    );
  refuseProblems(findMisplacedSecrets(Object.keys(given), publicFieldsOf(type)));
  refuseProblems(findFieldProblems(type, fields, given, check));
  return given;
};

/**
 * The hosts that a credential is for.
 *
 * @param given - as a person wrote them; undefined to use those of the type or the host of `testUrl`
 * @throws AppError `CREDENTIAL_INVALID`
 */
export const resolveHosts = (
  type: CredentialType,
  fields: CredentialFields,
  secrets: CredentialFields,
  given: readonly string[] | undefined,
): readonly string[] => {
  const hosts = chooseHosts(type, { ...fields, ...secrets }, given);
  const { testUrl = '' } = fields;
  if (testUrl !== '' && hosts.length > 0 && !isForHost(hosts, testUrl))
    refuseHosts(
      `testUrl is at ${hostOfUrl(testUrl)}, but the credential is only for ${describeHosts(hosts)}`,
    );
  return hosts;
};

const chooseHosts = (
  type: CredentialType,
  fields: CredentialFields,
  given: readonly string[] | undefined,
): readonly string[] => {
  if (findHostsRule(type) === 'none') {
    if (given === undefined) return [];
    return refuseHosts(
      `${type.id} passes its fields to nodes and is never added to a request: leave them out`,
    );
  }
  if (given !== undefined) return readHosts(given);
  if (type.hosts !== undefined)
    return (
      hostsByRule(type.hosts, fields) ??
      refuseHosts('the type derives no host from the fields: name the hosts')
    );
  const proposal = hostOfUrl(fields.testUrl ?? '');
  return proposal === null
    ? refuseHosts(
        `the hosts that the credential may be sent to are missing: name them as ${EXAMPLES}; ${ANY_HOST} allows any host`,
      )
    : [proposal];
};

export const EXAMPLES = 'api.example.com, *.example.com or localhost:8080';

const readHosts = (given: readonly string[]): readonly string[] => {
  if (given.length === 0) refuseHosts(`a credential must name its hosts; ${ANY_HOST} allows any host`);
  const patterns = new Set<string>();
  const problems = given.flatMap((text, index) => {
    const pattern = readHostPattern(text);
    if (pattern === null) return [{ pointer: `#/hosts/${index}`, detail: describeNoHost(text) }];
    patterns.add(pattern);
    return [];
  });
  refuseProblems(problems);
  return [...patterns];
};

const describeNoHost = (text: string): string =>
  `${quote(text)} is not a host: write it as ${EXAMPLES}${didYouMean(hostOfUrl(text))}`;

type HostsOfType = NonNullable<CredentialType['hosts']>;

/** @returns null if the type derives no valid host from the fields */
const hostsByRule = (hosts: HostsOfType, fields: CredentialFields): readonly string[] | null => {
  try {
    const patterns = (typeof hosts === 'function' ? hosts(fields) : hosts).map(readHostPattern);
    const valid = patterns.filter((pattern) => pattern !== null);
    return valid.length === patterns.length ? valid : null;
  } catch {
    return null; // a plugin's function, which may parse a field that is empty
  }
};

/** The hosts after a rotation: hosts that the type derived from the secret change with it, named ones stay. */
const followHosts = (
  { hosts: rule }: CredentialType,
  hosts: readonly string[] | null,
  before: CredentialFields,
  after: CredentialFields,
): readonly string[] | null => {
  if (hosts === null || typeof rule !== 'function') return hosts;
  if (!isDeepStrictEqual(hostsByRule(rule, before), hosts)) return hosts;
  return hostsByRule(rule, after) ?? refuseHosts('the type derives no host from the new secret');
};

/** Describes allowed hosts for lists and messages. @param hosts - null: created before credentials named hosts */
export const describeHosts = (hosts: readonly string[] | null): string =>
  hosts === null ? 'any host' : hosts.includes(ANY_HOST) ? `${ANY_HOST} (any host)` : hosts.join(', ');

const findReplaced = (type: CredentialType, known: CredentialFields, given: CredentialFields) =>
  Object.fromEntries(
    type.secretFields.flatMap((name) => {
      const source = String(readAnnotation(type, name, 'previousOf') ?? name);
      if (source === name) return [];
      const isReplaced = given[source] !== undefined && given[source] !== known[source];
      const kept = isReplaced ? known[source] : known[name];
      return kept === undefined ? [] : [[name, kept] as const];
    }),
  );

const findUnknownFields = (
  { id, secretFields }: CredentialType,
  given: readonly string[],
  names: readonly string[],
): CredentialProblem[] =>
  given
    .filter((name) => !names.includes(name))
    .map((name) => ({
      pointer: toPointer('fields', name),
      detail: secretFields.includes(name)
        ? 'is secret: it belongs into "secrets"'
        : `is not a field of ${id}${didYouMean(findNearest(name, names))} Fields: ${names.join(', ')}`,
    }));

const findMisplacedSecrets = (given: readonly string[], names: readonly string[]): CredentialProblem[] =>
  given
    .filter((name) => names.includes(name))
    .map((name) => ({
      pointer: toPointer('secrets', name),
      detail: 'is not secret: it belongs into "fields"',
    }));

/** The prefix of a webhook sender's secret. */
const SENDER_PREFIX = /^wh(?:sec|pk)_$/;

/** What one parameter of Systems Manager holds. https://docs.aws.amazon.com/general/latest/gr/ssm.html */
const MAX_SECRET_BYTES = 8_192;

const findFieldProblems = (
  type: CredentialType,
  fields: CredentialFields,
  secrets: CredentialFields,
  check: CheckFields,
): CredentialProblem[] => {
  const short = Object.entries(secrets).filter(([name, secret]) => {
    const value = secret.trim();
    const isShort = value.length < MIN_SECRET_LENGTH || SENDER_PREFIX.test(value);
    return isShort && secret !== '' && type.secretFields.includes(name);
  });
  const bytes = Buffer.byteLength(JSON.stringify(secrets));
  return [
    ...short.map(([name]) => ({
      pointer: toPointer('secrets', name),
      detail: `needs at least ${MIN_SECRET_LENGTH} characters, not counting spaces and a prefix such as whsec_: shorter ones can't be redacted reliably`,
    })),
    ...check(type.schema, { ...fields, ...secrets }).map(({ path, message }) => {
      if (path === '') return { pointer: '#', detail: message };
      const [, name = ''] = path.split('/');
      const isSecret = Object.hasOwn(secrets, name) || type.secretFields.includes(name);
      return isSecret
        ? { pointer: toPointer('secrets', name), detail: 'is not valid' }
        : { pointer: toPointer('fields', name), detail: message };
    }),
    ...(bytes > MAX_SECRET_BYTES
      ? [{ pointer: '#/secrets', detail: `has ${bytes} bytes as JSON; the limit is ${MAX_SECRET_BYTES}` }]
      : []),
  ];
};

const MAX_NAME_LENGTH = 64;

const toPointer = (list: 'fields' | 'secrets', name: string): string =>
  `#/${list}/${encodeURIComponent(toPointerKey(name.slice(0, MAX_NAME_LENGTH).toWellFormed()))}`;

/** How many problems an answer lists. */
const MAX_PROBLEMS = 50;

/** @throws AppError `CREDENTIAL_INVALID` with these problems */
export const refuseCredential = (errors: readonly CredentialProblem[]): never => {
  throw new AppError(CREDENTIAL_INVALID, { count: errors.length, errors: errors.slice(0, MAX_PROBLEMS) });
};

const refuseProblems = (errors: readonly CredentialProblem[]): void => {
  if (errors.length > 0) refuseCredential(errors);
};

/** @throws AppError `CREDENTIAL_INVALID` */
export const refuseField = (pointer: string, detail: string): never =>
  refuseCredential([{ pointer, detail }]);

const refuseHosts = (detail: string): never => refuseField('#/hosts', detail);
