import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { didYouMean, quote } from '../../lib/shared/describe.ts';
import { findNearest } from '../../lib/shared/near-name.ts';
import { findCredentialUses } from '../../lib/workflows/definition/credential-uses.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import type { Problem } from '../../lib/workflows/definition/problem.ts';

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
      problems.push({ path, message: `there is no credential ${quote(credentialId)}${didYouMean(near)}` });
    } else if (!takes.includes(type)) {
      const message = `the credential ${quote(credentialId)} has the type ${type}, but the ${taker} accepts ${takes.join(', ')}`;
      problems.push({ path, message });
    }
  }
  return problems;
};
