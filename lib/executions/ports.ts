import type { Clock, ExecutionInfo, Ids, JsonObject, Logger } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import type { CredentialSource } from '../engine/credentials.ts';
import type { StrayErrorGuard } from '../engine/failure.ts';
import type { OpenFiles, OtherWorkflows, SharedServices } from '../engine/session.ts';
import type { StateFor } from '../state/execution-state.ts';
import type { BackgroundMode, Workflow, WorkflowDefinition } from '../workflows/definition/definition.ts';
import type { WorkflowReader } from '../workflows/definition/workflow-store.ts';
import type { Plan } from '../workflows/plan/plan.ts';
import type { DeliveryStore } from './delivery-store.ts';
import type { DurableService } from './durable-service.ts';
import type { HeldQueues, NudgeQueue } from './held-queues.ts';
import type { Paces } from './paces.ts';
import type { BlobStore, LifeDays } from './record/blob-store.ts';
import type {
  ExecutionEvents,
  ExecutionIdentity,
  ExecutionRecord,
  ExecutionStore,
} from './record/execution-store.ts';
import type { FindReport } from './record/failure-reports.ts';

/** What the outside gives to runs, and to what stands on them. A function picks what it needs. */
export interface Ports {
  /** The records of executions. */
  readonly executions: ExecutionStore;
  /** The workflows as executions read them. */
  readonly workflows: WorkflowReader;
  /** The claims of deliveries with a key. */
  readonly deliveries: DeliveryStore;
  /** Values that are too large for their record or checkpoint. */
  readonly blobs: BlobStore;
  /** The queues of held executions. */
  readonly queues: HeldQueues;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Hands an accepted execution to the engine of its mode. */
  readonly dispatcher: Dispatcher;
  /** The engine of durable runs, for callers outside a run. */
  readonly durableService: DurableService;
  /** Makes the sweeper release what a queue holds now. */
  readonly nudgeQueue: NudgeQueue;
  /** Takes one of the workflow's places for concurrent executions. */
  readonly takeSlot: TakeSlot;
  /** Limits the rate of calls to Lambda; absent if few executions are reconciled or released. */
  readonly paces?: Paces | undefined;
  /** Publishes the ends of executions. */
  readonly events: ExecutionEvents;
  /** Whether ends stay in the outbox until their event is published; false without an event bus. */
  readonly usesOutbox: boolean;
  /** Finds the report that a failure starts; absent if the sweeper reports failures, from the outbox. */
  readonly findReport?: FindReport | undefined;
  /** Called when a background run has ended on its own. Never rejects. */
  readonly afterEnd?:
    | ((record: ExecutionRecord, definition: WorkflowDefinition) => Promise<void>)
    | undefined;
  /** Finds the given node types, or all, and loads each plugin once. */
  readonly loadNodeTypes: (nodeTypes?: readonly string[]) => Promise<FindNodeType>;
  /** The values of the stage's variables, by name. @throws AppError `STORE_UNAVAILABLE` */
  readonly readVariables: () => Promise<JsonObject>;
  readonly openPlan: OpenPlan;
  /** Decides the mode in which a workflow runs in the background. */
  readonly modeOf: (workflow: Workflow) => Promise<BackgroundMode>;
  /** Checks an input as its trigger does. @returns why the trigger would start nothing; null if it would */
  readonly checkInput: (
    workflow: Workflow,
    triggerNodeId: string,
    input: JsonObject,
  ) => Promise<string | null>;
  /**
   * Whether an earlier release may have stored executions that are in the lists of workflows but in no list of all
   * workflows.
   * @throws AppError `STORE_UNAVAILABLE`
   */
  readonly holdsUnlisted: () => Promise<boolean>;
  /** What nodes use, the same for all executions. */
  readonly services: SharedServices;
  /** Opens the files of one execution. */
  readonly filesFor: FilesFor;
  /** Opens the state of one execution; absent where no node can use any. */
  readonly stateFor?: StateFor | undefined;
  /** Opens the logger of one execution's nodes. */
  readonly loggerFor: (execution: ExecutionInfo) => Logger;
  /** Other workflows, for nodes that run them. */
  readonly otherWorkflows: OtherWorkflows;
  /** Lends credentials; absent where no node can borrow one. */
  readonly outboundCredentials?: CredentialSource | undefined;
  /** Opens the ids of an execution's spans: see `createTraceparents`. Absent without tracing. */
  readonly openTrace?: OpenTrace | undefined;
  /** Catches stray errors, so that they fail their node; absent if a stray error ends the process. */
  readonly guard?: StrayErrorGuard | undefined;
}

/** What the end of an execution needs. */
export type FinishPorts = Pick<Ports, 'executions' | 'events' | 'usesOutbox' | 'findReport' | 'logger'>;

/** What the dispatch of an execution needs. */
export type DispatchPorts = Pick<Ports, 'executions' | 'dispatcher' | 'clock' | 'logger'>;

/** What the nodes of a run use. */
export type NodePorts = Pick<
  Ports,
  | 'services'
  | 'filesFor'
  | 'stateFor'
  | 'loggerFor'
  | 'otherWorkflows'
  | 'outboundCredentials'
  | 'openTrace'
  | 'guard'
>;

/** What accepting an execution needs. */
export type AcceptPorts = DispatchPorts & Pick<Ports, 'blobs' | 'ids'>;

/** What a retry needs. */
export type RetryPorts = DispatchPorts & Pick<Ports, 'workflows' | 'openPlan' | 'modeOf' | 'ids'>;

/** What a background run needs. */
export type BackgroundPorts = FinishPorts &
  NodePorts &
  Pick<Ports, 'workflows' | 'openPlan' | 'blobs' | 'afterEnd'>;

/** What the sweeper needs for one execution. */
export type ReconcilePorts = FinishPorts &
  DispatchPorts &
  Pick<Ports, 'workflows' | 'durableService' | 'paces'>;

/** What the release of held executions needs. */
export type ReleasePorts = FinishPorts &
  DispatchPorts &
  Pick<Ports, 'queues' | 'workflows' | 'takeSlot' | 'paces'>;

export interface Dispatcher {
  /**
   * Hands an accepted execution to the engine of its mode. Once this resolves, the run is certain to start. Idempotent.
   * @param redispatches - earlier dispatches that started nothing; 0 if absent. From the second on, the engine knows
   * each by a different name, so that a failed one does not block the next
   * @throws AppError `DISPATCH_REFUSED` if the engine throttles, is unreachable or is misconfigured. If only its reply
   * was lost, the run starts nevertheless, and its record says so.
   */
  dispatch(executionId: string, mode: BackgroundMode, redispatches?: number): Promise<void>;
}

/** Compiles the plan of a workflow. @throws AppError `WORKFLOW_INVALID` */
export type OpenPlan = (workflow: Workflow) => Promise<Plan>;

/** @returns the `traceparent` of what a node run sends, by its key */
type OpenTrace = (
  execution: Pick<ExecutionIdentity, 'executionId' | 'traceparent'>,
) => Promise<(nodeKey: string) => string>;

export type FilesFor = (
  execution: Pick<ExecutionIdentity, 'executionId' | 'retryOf'> & {
    /** How long saved files are kept; by default the life used until the end of the execution is known. */
    readonly life?: LifeDays;
    /** For a trial: the end of the ids of the trials whose files it can open, since it runs on what they gave. */
    readonly trialSuffix?: string;
  },
) => OpenFiles;

/**
 * Takes one of the workflow's places for concurrent executions, or finds that the execution already has one.
 * @param request - `ended`: the execution whose place is taken
 * @returns false if none is free
 */
type TakeSlot = (request: {
  readonly workflowId: string;
  readonly executionId: string;
  readonly max: number;
  readonly ended?: string | undefined;
}) => Promise<boolean>;
