/** One run of a workflow, as far as its price depends on it. */
export interface BilledRun {
  readonly title: string;
  /** Without the trigger. */
  readonly nodes: number;
  /** Those of them that touch the outside. */
  readonly effectfulNodes: number;
  readonly waitSeconds: number;
  readonly units: DynamoDbUnits;
  /** With an event bus. */
  readonly withBus: DynamoDbUnits;
  /** Null when the caller waits for the end of the run. */
  readonly background: BackgroundCounts | null;
}

export interface DynamoDbUnits {
  readonly readUnits: number;
  readonly writeUnits: number;
}

/** What Lambda bills for a run in the background, beside its time. */
export interface BackgroundCounts {
  readonly invocations: number;
  /** Of the durable engine; none for an express run. */
  readonly operations: number;
  /** Written by checkpoints. */
  readonly bytes: number;
}
