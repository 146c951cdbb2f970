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
export const readFieldErrors = (
  members: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> => {
  const found: Record<string, string> = {};
  const { errors } = members;
  for (const error of Array.isArray(errors) ? errors : []) {
    const { pointer = '', detail = '' } = error as { readonly pointer?: string; readonly detail?: string };
    const [, list = '', name = ''] = pointer.split('/');
    const isField = list === 'fields' || list === 'secrets';
    const named = isField ? decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~') : list;
    const key = missingKeyOf(detail) ?? named;
    found[key] = found[key] === undefined ? detail : `${found[key]} ${detail}`;
  }
  return found;
};
