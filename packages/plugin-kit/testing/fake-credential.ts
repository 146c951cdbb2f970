import type { CredentialFields, CredentialType } from '../contract/credential-type.ts';
import type { LentCredential } from '../contract/services.ts';

/** A credential for a test. */
export interface TestCredential {
  /** Id of the credential; `credential-1` by default. */
  readonly id?: string;
  /** The credential's type, or only the type's id if the node reads the fields itself. */
  readonly type: CredentialType | string;
  /** Invented values, none of which may occur in what the node delivers or logs. */
  readonly fields: CredentialFields;
}

export const typeOfCredential = ({ type }: TestCredential): string =>
  typeof type === 'string' ? type : type.id;

/** Lends a credential as the service does: neither its JSON nor its keys show a field. */
export const lendCredential = (credential: TestCredential): LentCredential => {
  const { id = 'credential-1', fields } = credential;
  const lent = { id, type: typeOfCredential(credential) };
  const field = (name: string): string => {
    const value = fields[name];
    if (value === undefined) throw new Error(`the credential "${id}" has no field "${name}"`);
    return value;
  };
  return Object.defineProperties(lent, {
    field: { value: field, enumerable: false },
    checkHost: { value: () => {}, enumerable: false },
    refresh: { value: async () => null, enumerable: false },
  }) as object as LentCredential;
};
