import type { Clock } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import type { WorkflowDefinition } from '../workflows/definition/definition.ts';
import { type CheckedCredentials, type CredentialStores, checkCredentials } from './check-credentials.ts';
import { type OpenRuns, type RunSample, sampleRuns } from './sample-runs.ts';
import { findUsage, type Usage } from './usage.ts';

/** The stored workflows, up to the store's limit. */
export interface StoredWorkflows {
  readonly definitions: readonly WorkflowDefinition[];
  /** All ids, including removed workflows whose executions are still stored. */
  readonly ids: readonly string[];
  /** Whether these are all. */
  readonly isComplete: boolean;
}

export interface FactStores extends CredentialStores {
  /** @throws AppError `STORE_UNAVAILABLE` */
  readonly listWorkflows: () => Promise<StoredWorkflows>;
  readonly openRuns: OpenRuns;
}

export interface FactLimits {
  readonly maxCredentials: number;
  readonly maxExecutions: number;
  readonly maxWorkflows: number;
  /** Time limit for reading executions. */
  readonly runsMs: number;
}

/** What the tables contain about the plugins' use. */
export interface StoredFacts {
  readonly usage: Usage;
  readonly workflows: Pick<StoredWorkflows, 'isComplete'> & { readonly count: number };
  readonly credentials: CheckedCredentials;
  /** `since` is in milliseconds since the epoch. */
  readonly runs: RunSample & { readonly since: number };
}

const DAY_MS = 86_400_000;

/**
 * Reads the stored workflows, the credentials they use, and their executions of the last day.
 *
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const readStoredFacts = async (
  stores: FactStores,
  findNodeType: FindNodeType,
  clock: Pick<Clock, 'now'>,
  { maxCredentials, maxExecutions, maxWorkflows, runsMs }: FactLimits,
): Promise<StoredFacts> => {
  const workflows = await stores.listWorkflows();
  const usage = findUsage(workflows.definitions, findNodeType);
  const now = clock.now();
  const since = now - DAY_MS;
  const limits = { maxExecutions, maxWorkflows, clock, endsAt: now + runsMs };
  const [credentials, sample] = await Promise.all([
    checkCredentials(usage, stores, maxCredentials),
    sampleRuns(workflows.ids, since, stores.openRuns, limits),
  ]);
  return {
    usage,
    workflows: { count: workflows.definitions.length, isComplete: workflows.isComplete },
    credentials,
    runs: { ...sample, isComplete: sample.isComplete && workflows.isComplete, since },
  };
};
