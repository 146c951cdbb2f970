import { type LentCredential, lazy } from '@hookloom/plugin-kit';
import type { PlanNode } from '../../workflows/plan/plan.ts';
import type { CredentialSource, ExecutionCredentials } from './execution-credentials.ts';
import type { Scrub } from './scrub-log.ts';

/** The credentials that an execution has borrowed so far. */
interface Borrowed {
  /**
   * Borrows a node's credential for one attempt. Null if the node has none, or is a trigger, whose credential verifies
   * callers.
   */
  readonly borrow: (planNode: PlanNode) => Promise<LentCredential> | null;
  readonly scrub: Scrub;
}

/** @param source - undefined if no node can borrow a credential */
export const borrowCredentials = (source: Pick<CredentialSource, 'open'> | undefined): Borrowed => {
  let opened: ExecutionCredentials | null = null;
  const open = lazy(async () => {
    if (source === undefined) throw new Error('there are no credentials here');
    return source.open();
  });
  const lend = async (credentialId: string, types: readonly string[]): Promise<LentCredential> => {
    opened = await open();
    return opened.lend(credentialId, types);
  };
  return {
    borrow: ({ node: { credentialId }, nodeType }) =>
      credentialId === undefined || nodeType.kind === 'trigger'
        ? null
        : lend(credentialId, nodeType.credentialTypes),
    scrub: (value) => (opened === null ? value : opened.scrub(value)),
  };
};
