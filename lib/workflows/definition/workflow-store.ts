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
}
