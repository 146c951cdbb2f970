import { compileJsonSchema } from '@hookloom/bounded-schema';
import {
  type CredentialFields,
  type CredentialType,
  isPlainObject,
  type JsonObject,
  parseJson,
} from '@hookloom/plugin-kit';
import { quote } from '../../shared/describe.ts';
import { isAppError, isInfrastructureError } from '../../shared/errors.ts';
import type { OutboundCredential, OutboundCredentialStore } from './outbound-credential.ts';
import type { OutboundPorts } from './ports.ts';
import { MIN_SECRET_LENGTH } from './secret-encodings.ts';

/** Why a node gets no credential; records show its name. */
export class CredentialError extends Error {
  constructor(
    name: 'CredentialMissing' | 'CredentialUnusable' | 'CredentialUnavailable',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = name;
  }
}

/** A credential with its type and all its fields. */
export interface LoadedCredential {
  readonly record: OutboundCredential;
  readonly type: CredentialType;
  readonly fields: CredentialFields;
}

/**
 * Loads a credential from the table and the secret store.
 *
 * @param readSecret - returns null if the secret no longer exists
 * @throws CredentialError `CredentialMissing` or `CredentialUnusable`
 * @throws AppError `STORE_UNAVAILABLE` | `SECRETS_UNAVAILABLE`
 */
export const loadCredential = async (
  id: string,
  {
    store,
    findType,
  }: Pick<OutboundPorts, 'findType'> & { readonly store: Pick<OutboundCredentialStore, 'find'> },
  readSecret: (record: OutboundCredential) => Promise<string | null>,
): Promise<LoadedCredential> => {
  const record = await store.find(id);
  if (record === null) throw new CredentialError('CredentialMissing', `there is no credential "${id}"`);
  const [type, secret] = await Promise.all([findType(record.type), readSecret(record)]);
  if (type === null)
    throw new CredentialError(
      'CredentialUnusable',
      `no installed plugin provides the credential type "${record.type}"`,
    );
  if (secret === null)
    throw new CredentialError('CredentialMissing', `the secret of credential "${id}" no longer exists`);
  const secretFields = parseSecret(secret, type);
  const fields = secretFields === null ? null : Object.freeze({ ...record.fields, ...secretFields });
  if (fields === null)
    throw new CredentialError(
      'CredentialUnusable',
      `the secret of credential "${id}" ${describeForm(secret)}`,
    );
  const problem = findFieldProblem(type, fields);
  if (problem !== null) throw new CredentialError('CredentialUnusable', `credential "${id}" ${problem}`);
  const short = findShortSecret(type, fields);
  if (short !== null)
    throw new CredentialError(
      'CredentialUnusable',
      `credential "${id}" can't be redacted reliably: its ${short}`,
    );
  return { record, type, fields };
};

/**
 * Finds a secret that is too short to be redacted: in records it could not be distinguished from other text.
 * @returns for people, without the secret: `accessToken has fewer than 6 characters`; null if there is none
 */
export const findShortSecret = (
  { secretFields }: Pick<CredentialType, 'secretFields'>,
  fields: CredentialFields,
): string | null => {
  const short = secretFields.find((name) => isTooShort(fields[name]));
  return short === undefined ? null : `${short} has fewer than ${MIN_SECRET_LENGTH} characters`;
};

const isTooShort = (secret: string | undefined): boolean =>
  secret !== undefined && secret !== '' && secret.length < MIN_SECRET_LENGTH;

/**
 * The fields in the text of a secret: a JSON object of strings, or the plain value of a type's only secret field, which
 * is how many secrets in Secrets Manager are stored; also a JSON document, if that field holds one (`contentMediaType`).
 * Null for anything else, such as a truncated JSON object.
 */
export const parseSecret = (
  text: string,
  {
    secretFields,
    schema = {},
  }: Pick<CredentialType, 'secretFields'> & Partial<Pick<CredentialType, 'schema'>>,
): CredentialFields | null => {
  const value = tryParse(text);
  const [only, ...others] = secretFields;
  const isAlone = only !== undefined && others.length === 0;
  if (isAlone && isPlainObject(value) && !Object.hasOwn(value, only) && holdsJson(schema, only))
    return { [only]: text };
  if (isPlainObject(value))
    return Object.values(value).every((field) => typeof field === 'string')
      ? (value as CredentialFields)
      : null;
  return isAlone && text.trim() !== '' && !beginsLikeJson(text) ? { [only]: text } : null;
};

const holdsJson = ({ properties }: JsonObject, name: string): boolean => {
  const property = isPlainObject(properties) ? properties[name] : null;
  return isPlainObject(property) && property.contentMediaType === 'application/json';
};

const beginsLikeJson = (text: string): boolean => text.trimStart().startsWith('{');

/** What is wrong with a secret that {@link parseSecret} can't read; contains nothing of the secret. */
const describeForm = (text: string): string => {
  if (text.trim() === '') return 'is empty';
  return beginsLikeJson(text) && tryParse(text) === undefined
    ? 'begins like a JSON object but is not valid JSON: it may be truncated'
    : 'must be a JSON object whose values are strings';
};

/** Why the fields do not match their type: mentions only the type's field names, nothing of the secret. */
const findFieldProblem = ({ schema }: CredentialType, fields: CredentialFields): string | null => {
  const { properties, required } = schema;
  for (const name of Array.isArray(required) ? required : []) {
    if (typeof name !== 'string' || fields[name]) continue;
    return Object.hasOwn(fields, name) ? `has an empty ${quote(name)}` : `has no ${quote(name)}`;
  }
  const [violation] = findViolations(schema, fields);
  if (violation === undefined) return null;
  const name = decodeURIComponent(violation.pointer.slice('#/'.length));
  return isPlainObject(properties) && Object.hasOwn(properties, name)
    ? `has a ${quote(name)} that its type does not allow (${violation.keyword})`
    : 'has fields that its type does not define';
};

/** Compiled schemas, keyed by identity: a loaded type always has the same schema. */
const compiled = new WeakMap<CredentialType['schema'], ReturnType<typeof compileJsonSchema>>();

const findViolations = (schema: CredentialType['schema'], fields: CredentialFields) => {
  try {
    const check = compiled.get(schema) ?? compileJsonSchema(schema);
    compiled.set(schema, check);
    return check(fields, { onlyFirst: true });
  } catch (error) {
    // A pattern in a plugin's schema needs backtracking: `credential create` has already checked it.
    if (error instanceof RangeError) return [];
    throw error;
  }
};

const tryParse = (text: string): unknown => {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
};

/** The error of a node whose credential could not be loaded. */
export const toCredentialError = (id: string, error: unknown): unknown =>
  isInfrastructureError(error) || isAppError(error, 'SECRETS_UNAVAILABLE')
    ? new CredentialError('CredentialUnavailable', `credential "${id}" can't be read right now`, {
        cause: error,
      })
    : error;
