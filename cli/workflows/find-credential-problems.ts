import type { FindNodeType } from '../../lib/contract/node-type.ts';
import type { CredentialStore } from '../../lib/credentials/credential-store.ts';
import type { OutboundCredentialStore } from '../../lib/credentials/outbound/outbound-credential.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import { checkCredentials } from '../../lib/workflows/validation/check-credentials.ts';

interface CredentialStores {
  readonly credentials: Pick<CredentialStore, 'find' | 'list'>;
  readonly outbound: { readonly store: Pick<OutboundCredentialStore, 'find' | 'list'> };
}

/**
 * Finds the nodes whose credential the store lacks, or has of another type than they take. Such a workflow is not stored.
 *
 * @returns one line for each: `orders: /nodes/1/credentialId …`
 */
export const findCredentialProblems = async (
  definition: WorkflowDefinition,
  findNodeType: FindNodeType,
  { credentials, outbound: { store } }: CredentialStores,
): Promise<string[]> => {
  const problems = await checkCredentials(definition, findNodeType, {
    findType: async (id) => ((await credentials.find(id)) ?? (await store.find(id)))?.type ?? null,
    listIds: async () => [...(await credentials.list()), ...(await store.list())].map(({ id }) => id),
  });
  return problems.map(({ path, message }) => `${definition.id}: ${path} ${message}`);
};
