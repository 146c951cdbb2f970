import { isPlainObject } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import type { CredentialStore } from '../../../lib/credentials/credential.ts';
import { parseSecret } from '../../../lib/credentials/outbound/load-credential.ts';
import type { OutboundCredentialStore } from '../../../lib/credentials/outbound/outbound-credential.ts';
import type { SecretStore } from '../../../lib/credentials/outbound/secret-store.ts';
import { didYouMean, quote } from '../../../lib/shared/describe.ts';
import { findNearest } from '../../../lib/shared/near-name.ts';
import { checkSecret } from '../../../lib/webhooks/features/signature/is-signed.ts';
import { type SignatureRule, toSchemeRow } from '../../../lib/webhooks/features/signature/schemes.ts';
import { findCredentialUses } from '../../../lib/workflows/definition/credential-uses.ts';
import type { WorkflowDefinition } from '../../../lib/workflows/definition/definition.ts';
import type { Problem } from '../../../lib/workflows/definition/problem.ts';
import { WEBHOOK_TRIGGER } from '../../../lib/workflows/definition/to-path-configs.ts';
import type { ListUsers } from '../../../lib/workflows/definition/uses.ts';
import { proposeValue } from '../validation/proposals/proposal.ts';

interface CredentialStores {
  readonly credentials: Pick<CredentialStore, 'find' | 'list'>;
  readonly outbound: {
    readonly store: Pick<OutboundCredentialStore, 'find' | 'list'>;
    readonly secrets: Pick<SecretStore, 'get'>;
  };
}

/**
 * Finds the nodes whose credential is missing from the store or has a type that they don't accept. Such a workflow is not
 * stored.
 */
export const findCredentialProblems = async (
  definition: WorkflowDefinition,
  findNodeType: FindNodeType,
  { credentials, outbound: { store, secrets } }: CredentialStores,
): Promise<readonly Problem[]> => {
  const problems = await checkCredentials(definition, findNodeType, {
    findType: async (id) => ((await credentials.find(id)) ?? (await store.find(id)))?.type ?? null,
    listIds: async () => [...(await credentials.list()), ...(await store.list())].map(({ id }) => id),
  });
  return problems.length > 0 ? problems : findUnusableSecrets(definition, { store, secrets });
};

/** Finds signature secrets that can't sign anything: their requests would always fail. */
const findUnusableSecrets = async (
  { nodes }: WorkflowDefinition,
  { store, secrets }: CredentialStores['outbound'],
): Promise<Problem[]> => {
  const problems: Problem[] = [];
  for (const [index, { type, parameters }] of nodes.entries()) {
    const { signature = null } = type === WEBHOOK_TRIGGER ? parameters : {};
    if (!isPlainObject(signature) || typeof signature.credentialId !== 'string') continue;
    const credential = await store.find(signature.credentialId);
    // Permission to put workflows may not include reading secrets: unreadable ones are not checked.
    const stored = credential === null ? null : await secrets.get(credential.reference).catch(() => null);
    const secret = stored === null ? undefined : parseSecret(stored, { secretFields: SECRET_FIELDS })?.secret;
    if (secret === undefined) continue;
    try {
      checkSecret(toSchemeRow(signature as unknown as SignatureRule).ways ?? [], secret);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      problems.push({
        path: `/nodes/${index}/parameters/signature/credentialId`,
        message: `can't sign with ${quote(signature.credentialId)}: ${reason}`,
      });
    }
  }
  return problems;
};

const SECRET_FIELDS = ['secret', 'previous'];

/** The credentials in the same store. */
interface KnownCredentials {
  /** The type; null when there is no such credential. */
  findType(credentialId: string): Promise<string | null>;
  listIds(): Promise<readonly string[]>;
}

/** Checks that the credentials of all nodes exist in the store and have a type that their node accepts. */
export const checkCredentials = async (
  { nodes }: Pick<WorkflowDefinition, 'nodes'>,
  findNodeType: FindNodeType,
  { findType, listIds }: KnownCredentials,
): Promise<Problem[]> => {
  const types = new Map<string, string | null>();
  const problems: Problem[] = [];
  const uses = nodes.flatMap((node, index) =>
    findCredentialUses(node, findNodeType).map((use) => ({ ...use, path: `/nodes/${index}${use.path}` })),
  );
  for (const { path, credentialId, taker, takes } of uses) {
    if (!types.has(credentialId)) types.set(credentialId, await findType(credentialId));
    const type = types.get(credentialId) ?? null;
    if (type === null) {
      const near = findNearest(credentialId, await listIds());
      const message = `there is no credential ${quote(credentialId)}${didYouMean(near)}`;
      problems.push({ path, message, ...proposeValue(path, near) });
    } else if (!takes.includes(type)) {
      const message = `the credential ${quote(credentialId)} has the type ${type}, but the ${taker} accepts ${takes.join(', ')}`;
      problems.push({ path, message });
    }
  }
  return problems;
};

/** Workflows of a stage with their own metrics: each has up to six, and each metric is billed. */
const MAX_WITH_METRICS = 20;

/**
 * Checks whether too many workflows of the stage would have their own metrics; disabled ones count, since they can be enabled.
 *
 * @param definitions - the workflows to put
 * @param listUsers - called only when one of them asks for metrics
 * @returns null when there is no problem
 */
export const findMetricsProblem = async (
  definitions: readonly WorkflowDefinition[],
  listUsers: ListUsers,
): Promise<string | null> => {
  if (!definitions.some(hasMetrics)) return null;
  const stored = await listUsers({ kind: 'settings', names: ['metrics'] });
  const current = new Map([...stored, ...definitions].map((definition) => [definition.id, definition]));
  const ids = [...current.values()].filter(hasMetrics).map(({ id }) => id);
  if (ids.length <= MAX_WITH_METRICS) return null;
  const known = stored.map(({ id }) => id);
  const others = known.length === 0 ? '' : `: ${known.join(', ')} already do`;
  return `${ids.length} workflows would have settings.metrics; at most ${MAX_WITH_METRICS} may${others}`;
};

const hasMetrics = ({ settings }: WorkflowDefinition): boolean => settings?.metrics === true;
