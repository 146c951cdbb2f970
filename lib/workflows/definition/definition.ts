import type { JsonValue } from '../../contract/json.ts';
import type { WorkflowNode } from '../../contract/node.ts';

/** An edge of the graph: what `sourceNodeId` emits on `sourceOutput` is delivered to `targetNodeId`. */
export interface Connection {
  readonly sourceNodeId: string;
  /** `main` by default. */
  readonly sourceOutput?: string;
  readonly targetNodeId: string;
  /** `main` by default. */
  readonly targetInput?: string;
}

/** The engine that runs a workflow in the background: one that resumes after a crash, or one for volume. */
export type BackgroundMode = 'durable' | 'express';

/** How executions of a workflow run, and their limits. */
export interface WorkflowSettings {
  /**
   * `durable` by default when a node touches the outside or waits, `express` when all are pure. A run that its caller
   * waits for takes place in the webhook function either way.
   */
  readonly execution?: BackgroundMode;
  /**
   * Wall time in seconds. By default 25 for synchronous answers (the gateway gives up at 30), 840 for express and a
   * year for durable runs.
   */
  readonly timeoutSeconds?: number;
  /** Of which runs the record keeps what went into nodes and came out; by default of durable and of failed ones. */
  readonly recordData?: 'always' | 'onFailure' | 'never';
  /** Node runs in all, turns of loops included; 100,000 by default. */
  readonly maxNodeRuns?: number;
  /** Size of one node's output as JSON, in bytes; 32 MB by default. Triggers are bound by the request. */
  readonly maxOutputBytes?: number;
}

/** A workflow as its author writes it. Unknown top-level keys are kept. */
export interface WorkflowDefinition {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly enabled: boolean;
  readonly nodes: readonly WorkflowNode[];
  readonly connections: readonly Connection[];
  readonly settings?: WorkflowSettings;
  readonly [key: string]:
    | JsonValue
    | readonly WorkflowNode[]
    | readonly Connection[]
    | WorkflowSettings
    | undefined;
}

/** A stored version of a workflow. Versions count from 1 and never change. */
export interface Workflow {
  readonly version: number;
  /** ISO 8601, UTC. */
  readonly updatedAt: string;
  readonly definition: WorkflowDefinition;
}
