import type { CredentialType } from '@hookloom/plugin-kit';

/** A credential type as JSON, for the admin API and the pages of the reference. */
export interface CredentialTypeDescription
  extends Pick<CredentialType, 'id' | 'name' | 'description' | 'schema' | 'secretFields'> {
  /** False if the node gets the fields itself. */
  readonly appliesToRequests: boolean;
  /** Whether `credential test` can try it. */
  readonly hasTest: boolean;
}

export const describeCredentialType = (type: CredentialType): CredentialTypeDescription => ({
  id: type.id,
  name: type.name,
  description: type.description,
  schema: type.schema,
  secretFields: type.secretFields,
  appliesToRequests: type.apply !== undefined,
  hasTest: type.test !== undefined,
});
