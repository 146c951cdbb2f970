import { toOauth2Fields } from '@hookloom/plugin-kit';
import { OAUTH2_PRESETS } from '../../../../authoring/oauth2-presets.ts';
import { Problem } from '../../api/api.ts';
import { missingKeyOf } from '../../parts/schema-form/fields.ts';
import { type SchemaField, toSchemaFields } from '../reference/schema-fields.ts';

/** A field of a credential, as its type declares it. */
export interface CredentialField extends SchemaField {
  readonly isSecret: boolean;
  /** Whether its value may have several lines. */
  readonly isLong: boolean;
}

interface DeclaredType {
  readonly schema: unknown;
  readonly secretFields: readonly string[];
}

/** The fields that are typed in, public ones first; not those that the service maintains. */
export const toCredentialFields = ({ schema, secretFields }: DeclaredType): readonly CredentialField[] => {
  const { properties = {} } = (schema ?? {}) as { readonly properties?: Record<string, unknown> };
  const maintained = Object.entries(properties)
    .filter(([, field]) => (field as { readonly readOnly?: unknown } | null)?.readOnly === true)
    .map(([name]) => name);
  return (toSchemaFields(schema).groups[0] ?? [])
    .filter(({ name }) => !maintained.includes(name))
    .map((field) => ({
      ...field,
      isSecret: secretFields.includes(field.name),
      isLong: /\bPEM\b|certificate/i.test(field.description),
    }))
    .sort((one, other) => Number(one.isSecret) - Number(other.isSecret));
};

/**
 * The fields to type in, given the values of others: a sign-in brings the refresh token, and only a sign-in has a page where
 * people sign in.
 */
export const fieldsToShow = (
  type: string,
  fields: readonly CredentialField[],
  { grant = '' }: CredentialForm['values'],
): readonly CredentialField[] => {
  if (type !== 'oauth2') return fields;
  const hidden = grant === 'authorizationCode' ? 'refreshToken' : 'authorizationUrl';
  return fields.filter(({ name }) => name !== hidden);
};

/**
 * The form for a service of which the addresses are known; what is typed of the app that is registered there stays.
 *
 * @param name - of a preset; empty for any other server
 */
export const toPresetForm = (name: string, { values }: CredentialForm): CredentialForm => {
  const typed = Object.fromEntries(
    Object.entries(values).filter(([key]) => ['clientId', 'clientSecret'].includes(key)),
  );
  const preset = Object.hasOwn(OAUTH2_PRESETS, name) ? OAUTH2_PRESETS[name] : undefined;
  if (preset === undefined) return { values: typed, ref: null, hosts: '' };
  const { hosts, name: _service, ...server } = preset;
  return {
    values: { ...typed, ...toOauth2Fields(server, {}) },
    ref: null,
    hosts: hosts.join('\n'),
  };
};

export interface CredentialForm {
  readonly values: Readonly<Record<string, string>>;
  /** ARN of a secret in Secrets Manager; null if the secret fields are typed in. */
  readonly ref: string | null;
  /** A pattern on each line. */
  readonly hosts: string;
}

/** The patterns of hosts: one on each line, or between commas. */
export const readHosts = (text: string): readonly string[] =>
  text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** The body that creates a credential for calling out; fields that are left empty are left out. */
export const toOutboundBody = (
  type: string,
  fields: readonly CredentialField[],
  { values, ref, hosts }: CredentialForm,
): object => {
  const given = (isSecret: boolean) =>
    Object.fromEntries(
      fields
        .filter((field) => field.isSecret === isSecret && (values[field.name] ?? '') !== '')
        .map(({ name }) => [name, values[name] ?? '']),
    );
  const patterns = readHosts(hosts);
  return {
    type,
    fields: given(false),
    ...(ref === null ? { secrets: given(true) } : { ref: ref.trim() }),
    ...(patterns.length === 0 ? {} : { hosts: patterns }),
  };
};

/** What a refusal says of single fields, by their name; `''` has what is said of none. */
export const readFieldErrors = (error: Error | null): Readonly<Record<string, string>> => {
  const found: Record<string, string> = {};
  for (const { pointer, detail } of error instanceof Problem ? error.errors : []) {
    const [, list = '', name = ''] = pointer.split('/');
    const isField = list === 'fields' || list === 'secrets';
    const named = isField ? decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~') : list;
    const key = missingKeyOf(detail) ?? named;
    found[key] = found[key] === undefined ? detail : `${found[key]} ${detail}`;
  }
  return found;
};
