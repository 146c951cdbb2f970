import type { JsonObject, WorkflowNode } from '@hookloom/plugin-kit';
import type { FromSchema } from '@hookloom/plugin-kit/host';
import type { connectionSchema, workflowSchema, workflowSettingsSchema } from './schema.ts';

/** An edge of the graph: what `sourceNodeId` emits on `sourceOutput` is delivered to `targetNodeId`. */
export type Connection = FromSchema<typeof connectionSchema>;

/** How executions of a workflow run, and their limits. */
export type WorkflowSettings = FromSchema<typeof workflowSettingsSchema>;

/** The engine that runs a workflow in the background: `durable` resumes after a crash, `express` is for volume. */
export type BackgroundMode = NonNullable<WorkflowSettings['execution']>;

/** A workflow as its author writes it. Unknown top-level keys are kept. */
export interface WorkflowDefinition extends FromSchema<typeof workflowSchema> {
  readonly enabled: boolean;
  readonly nodes: readonly WorkflowNode[];
  readonly [key: string]: unknown;
}

/** A stored version of a workflow. Versions count from 1 and never change. */
export interface Workflow {
  readonly version: number;
  /** When this version was stored; ISO 8601, UTC. */
  readonly updatedAt: string;
  readonly definition: WorkflowDefinition;
  /** The stage that it is read on; absent where no execution is started or run. */
  readonly stage?: string;
  /** Values of the variables that its executions read; absent if they read none. See `onStage`. */
  readonly variables?: JsonObject;
}

/** The current version of a workflow, as lists read it. */
export interface CurrentWorkflow extends Workflow {
  /** Whether this version or an earlier one is `highVolume`, so that executions are in several partitions; absent if not. */
  readonly wasHighVolume?: true;
}
