/** What the price of a workflow run depends on. */
export interface BilledRun {
  readonly title: string;
  /** Not counting the trigger. */
  readonly nodes: number;
  /** Nodes with side effects. */
  readonly effectfulNodes: number;
  readonly waitSeconds: number;
  readonly units: DynamoDbUnits;
  /** With an event bus. */
  readonly withBus: DynamoDbUnits;
  /** Stored data until its record expires. */
  readonly stored: StoredBytes;
  /** Null when the caller waits for the end of the run. */
  readonly background: BackgroundCounts | null;
}

export interface DynamoDbUnits {
  readonly readUnits: number;
  readonly writeUnits: number;
}

export interface StoredBytes {
  /** In the table of executions, with its indexes. */
  readonly executions: number;
  /** In the table of deliveries. */
  readonly deliveries: number;
  readonly blobs: number;
  /** Requests to the bucket. */
  readonly blobPuts: number;
  readonly blobGets: number;
}

/** What Lambda bills for a background run in addition to its time. */
export interface BackgroundCounts {
  readonly invocations: number;
  /** Durable operations; zero for an express run. */
  readonly operations: number;
  /** Written by checkpoints. */
  readonly bytes: number;
}
