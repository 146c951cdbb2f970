/** What the price of a workflow run depends on. */
export interface BilledRun {
  readonly title: string;
  /** How many nodes run, not counting the trigger. */
  readonly nodes: number;
  /** How many nodes have side effects. */
  readonly effectfulNodes: number;
  readonly waitSeconds: number;
  readonly units: DynamoDbUnits;
  /** Units of a run that publishes to an event bus. */
  readonly withBus: DynamoDbUnits;
  /** Data stored until the run's record expires. */
  readonly stored: StoredBytes;
  /** What a background run adds; null when the caller waits for the end of the run. */
  readonly background: BackgroundCounts | null;
}

interface DynamoDbUnits {
  readonly readUnits: number;
  readonly writeUnits: number;
}

export interface StoredBytes {
  /** Bytes in the table of executions, with its indexes. */
  readonly executions: number;
  /** Bytes in the table of deliveries. */
  readonly deliveries: number;
  readonly blobs: number;
  /** How many objects are written to the bucket. */
  readonly blobPuts: number;
  readonly blobGets: number;
}

/** What Lambda bills for a background run in addition to its time. */
export interface BackgroundCounts {
  readonly invocations: number;
  /** Durable operations; zero for an express run. */
  readonly operations: number;
  /** How many bytes the checkpoints write. */
  readonly bytes: number;
}

/** What the statistics of an execution take. */
export interface StatisticsUnits {
  /** Executions of one workflow that end in a shard within five minutes. */
  readonly rate: number;
  /** For each execution, with 3 and with 20 nodes. */
  readonly writeUnits: readonly [small: number, large: number];
}
