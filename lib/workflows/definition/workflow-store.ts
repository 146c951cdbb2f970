import { type CacheOptions, createCache } from '../../shared/cache.ts';
import type { CurrentWorkflow, Workflow, WorkflowDefinition } from './definition.ts';
import type { PathConfig } from './path-config.ts';

/** A webhook trigger whose next request is caught as a test. */
export interface Listening {
  readonly id: string;
  readonly triggerNodeId: string;
  /** When it ends by itself, in milliseconds since the epoch. */
  readonly until: number;
}

/** The current version of a workflow with its webhooks: one read per request. */
export interface PublishedWorkflow extends Workflow {
  readonly pathConfigs: readonly PathConfig[];
  /** The latest listening, which may have ended; absent if there is none. */
  readonly listening?: Listening;
  /** Its `maxCostPerMonth` is reached, so that its triggers are held; absent if not. */
  readonly atLimit?: CostLimitReached;
}

interface CostLimitReached {
  /** What its executions of the month had cost when the limit was found reached. */
  readonly dollars: number;
  readonly limit: number;
  /** When the next month begins, in milliseconds since the epoch. */
  readonly until: number;
}

export interface WorkflowSummary {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly version: number;
  readonly updatedAt: string;
}

/** The author of a version, and the reason for it; null if not noted, as in versions of earlier releases. */
export interface VersionNote {
  /** The ARN of the caller of the admin API; the command line notes none. */
  readonly author: string | null;
  readonly message: string | null;
}

/** The current version of a workflow, without its number. */
export type StoredDefinition = Pick<Workflow, 'updatedAt' | 'definition'>;

export interface VersionSummary extends VersionNote {
  readonly version: number;
  /** ISO 8601, UTC. */
  readonly updatedAt: string;
}

/** How a definition becomes the current version. */
export interface PutOptions extends Partial<VersionNote> {
  /** The version that the definition was made from, null if there must be none; if absent, any version is replaced. */
  readonly replaces?: number | null | undefined;
}

/** Every method throws AppError `STORE_UNAVAILABLE` if the store can't be reached. */
export interface WorkflowReader {
  /** The current version; null if there is none or the workflow was removed. */
  find(workflowId: string): Promise<PublishedWorkflow | null>;
  /** Any version, including former ones and those of a removed workflow. */
  findVersion(workflowId: string, version: number): Promise<Workflow | null>;
}

export interface WorkflowStore extends WorkflowReader {
  /**
   * Makes the definition the current version. If it equals the current one, nothing is written.
   * @throws AppError `WORKFLOW_CHANGED` if `replaces` is not current or there is a concurrent write, or
   * `WORKFLOW_TOO_LARGE`
   */
  put(
    definition: WorkflowDefinition,
    pathConfigs: readonly PathConfig[],
    options?: PutOptions,
  ): Promise<{ version: number; changed: boolean }>;
  /**
   * Removes a workflow; false if there was none. Versions stay readable, and a later `put` continues their numbering.
   * @param replaces - the version that must be current; any if absent
   * @throws AppError `WORKFLOW_CHANGED` when another version is current
   */
  remove(workflowId: string, replaces?: number): Promise<boolean>;
  /** All current workflows, by id. */
  list(): Promise<WorkflowSummary[]>;
  /**
   * The current versions of some workflows, in the order of the ids, without those that do not exist. What was stored
   * within the last second may be missing or outdated. The calls to the store grow by one for each hundred workflows.
   */
  findAll(workflowIds: readonly string[]): Promise<readonly CurrentWorkflow[]>;
  /**
   * A page of the versions of a workflow, newest first, those of a removed one included. May have fewer than the limit,
   * although more follow.
   * @param before - lists versions below this number: `next` of the previous page; null for the newest
   * @returns `next` is null on the last page
   */
  listVersions(
    workflowId: string,
    before: number | null,
    limit: number,
  ): Promise<{ readonly versions: readonly VersionSummary[]; readonly next: number | null }>;
  /**
   * Reads a page of the current versions of all workflows, in no particular order. What was stored within the last
   * second may be missing or outdated.
   * @param after - `next` of the previous page; null for the first page
   * @returns `next` is null on the last page
   */
  readPage(
    after: string | null,
  ): Promise<{ readonly workflows: readonly StoredDefinition[]; readonly next: string | null }>;
}

/**
 * A version never changes, but a table can be restored to a time before it, after which another version gets the same
 * number.
 */
const VERSION_TTL_MS = 600_000;
const MAX_VERSIONS = 100;

/**
 * Reads each version at most once in ten minutes. Every background run reads its version consistently; with 40 kB, 300
 * runs a second would use all the throughput that DynamoDB allows for one item.
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
