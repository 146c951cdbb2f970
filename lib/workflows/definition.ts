import type { JsonValue } from '../contract/json.ts';
import type { WorkflowNode } from '../contract/node.ts';

/** An edge of the graph: what `sourceNodeId` emits on `sourceOutput` is delivered to `targetNodeId`. */
export interface Connection {
  readonly sourceNodeId: string;
  /** `main` by default. */
  readonly sourceOutput?: string;
  readonly targetNodeId: string;
  /** `main` by default. */
  readonly targetInput?: string;
}

/** The limits of one execution. */
export interface WorkflowSettings {
  /** Wall time in seconds; 25 by default for synchronous answers (the gateway gives up at 30). */
  readonly timeoutSeconds?: number;
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
