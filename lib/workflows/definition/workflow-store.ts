import { type CacheOptions, createCache } from '../../shared/cache.ts';
import type { Workflow, WorkflowDefinition } from './definition.ts';
import type { PathConfig } from './path-config.ts';

/** The current version of a workflow with its webhooks: one read per request. */
export interface PublishedWorkflow extends Workflow {
  readonly pathConfigs: readonly PathConfig[];
}

export interface WorkflowSummary {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly version: number;
  readonly updatedAt: string;
}

/** Every method throws AppError `STORE_UNAVAILABLE` when the store can't be reached. */
export interface WorkflowReader {
  /** The current version; null when there is none or the workflow is removed. */
  find(workflowId: string): Promise<PublishedWorkflow | null>;
  /** Any version, former ones and those of a removed workflow included. */
  findVersion(workflowId: string, version: number): Promise<Workflow | null>;
}

export interface WorkflowStore extends WorkflowReader {
  /**
   * Makes the definition the current version, unless it equals the current one: then nothing is written.
   * @param replaces - the version that the definition was made from; when absent, any current version is replaced
   * @throws AppError `WORKFLOW_CHANGED` when `replaces` is not current or on a concurrent write, or `WORKFLOW_TOO_LARGE`
   */
  put(
    definition: WorkflowDefinition,
    pathConfigs: readonly PathConfig[],
    replaces?: number,
  ): Promise<{ version: number; changed: boolean }>;
  /** False when there was none. Versions stay readable, and a later `put` continues their numbers. */
  remove(workflowId: string): Promise<boolean>;
  list(): Promise<WorkflowSummary[]>;
  /**
   * Reads a page of the current versions of all workflows, in no order. What was stored in the last second may be missing, or older.
   *
   * @param after - `next` of the page before; null for the first one
   * @returns `next` is null when it was the last one
   */
  readPage(
    after: string | null,
  ): Promise<{ readonly definitions: readonly WorkflowDefinition[]; readonly next: string | null }>;
}

/** A version never changes, but a table can be restored to a time before it, and the number given to another one. */
const VERSION_TTL_MS = 600_000;
const MAX_VERSIONS = 100;

/**
 * Reads each version once in ten minutes. Every background run reads its own, consistently, and with 40 kB that is all the
 * throughput that DynamoDB has for one item at 300 runs a second.
 */
export const rememberVersions = (
  reader: WorkflowReader,
  timing: Pick<CacheOptions<never>, 'clock' | 'random'>,
): WorkflowReader => {
  const lookUp = createCache<Workflow | null>({
    ttlMs: VERSION_TTL_MS,
    maxEntries: MAX_VERSIONS,
    ...timing,
    keep: (workflow) => workflow !== null,
  });
  return {
    ...reader,
    findVersion: (workflowId, version) =>
      lookUp(`${workflowId}/${version}`, () => reader.findVersion(workflowId, version)),
  };
};
