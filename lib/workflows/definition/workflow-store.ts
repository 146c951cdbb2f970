import type { Workflow, WorkflowDefinition } from './definition.ts';
import type { PathConfig } from './path-config.ts';

/** A workflow's current version as a request needs it: one read. */
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

/** All methods reject with {@link AppError} `STORE_UNAVAILABLE` when the store can't be had. */
export interface WorkflowStore {
  /** The current version; null when there is none or the workflow was removed. */
  find(workflowId: string): Promise<PublishedWorkflow | null>;
  /** Any version that ever was current, also of a removed workflow. */
  findVersion(workflowId: string, version: number): Promise<Workflow | null>;
  /**
   * Makes the definition the current version, unless it equals the current one: then nothing is written.
   * Rejects with `WORKFLOW_CHANGED` when another writer was faster, and with `WORKFLOW_TOO_LARGE`; nothing is
   * changed then.
   * @param replaces the version that the definition was made from: if another one is current, it rejects with
   * `WORKFLOW_CHANGED` instead of undoing what it does not know. Absent: whatever is current is replaced
   */
  put(
    definition: WorkflowDefinition,
    pathConfigs: readonly PathConfig[],
    replaces?: number,
  ): Promise<{ version: number; changed: boolean }>;
  /** False when there was none. Versions stay readable, and a later `put` counts on from them. */
  remove(workflowId: string): Promise<boolean>;
  list(): Promise<WorkflowSummary[]>;
}
