import {
  type DeliveredInput,
  EACH_OUTPUT,
  ERROR_OUTPUT,
  type ExecutionInfo,
  type JsonObject,
  type JsonValue,
  type Logger,
  MAIN_OUTPUT,
  type NodeExecutor,
  type Usage,
  type WorkflowNode,
} from '@hookloom/plugin-kit';
import { toLoggedData } from '../../engine/credentials.ts';
import { createMeasureJson } from '../../engine/measure-json.ts';
import type { Outputs } from '../../engine/node-run.ts';
import { mainOf, mergeInputs } from '../../engine/node-run.ts';
import type { ExecutionResult, NodeFailure, NodeRecord } from '../../engine/result.ts';
import type { Connection, WorkflowDefinition } from '../../workflows/definition/definition.ts';
import { placeOnStage } from '../../workflows/definition/on-stage.ts';
import { compilePlan } from '../../workflows/plan/compile-plan.ts';
import type { Plan, PlanNode } from '../../workflows/plan/plan.ts';
import { asPoll } from '../../workflows/plan/poll-type.ts';
import { computeRoute } from '../../workflows/plan/route.ts';
import type { Ports } from '../ports.ts';
import { findPasses } from '../record/body-pass.ts';
import { TRIAL_VERSION } from '../record/execution-store.ts';
import { shortenValue, viewValue } from '../record/view-data.ts';
import type { NewExecution } from './new-execution.ts';
import { nodeTypesOf } from './plans.ts';

/** A node to try, as an author has drawn it. */
export interface TriedNode {
  /** The node, with its body if it has one, and the connections between them: the node is the first. */
  readonly definition: WorkflowDefinition;
  /** The connections that lead to the node. */
  readonly incoming: readonly Connection[];
  /** Ids of the nodes that lead to it: others are not read. */
  readonly before: ReadonlySet<string>;
  /** The nodes in whose bodies it is, the innermost one first, with the outputs that lead there. */
  readonly around: readonly { readonly nodeId: string; readonly output: string }[];
  /** The trigger whose output is `$trigger`; null for none. */
  readonly trigger: Pick<ExecutionInfo['trigger'], 'nodeId' | 'type'> | null;
}

/** The data of a trial. */
export interface TrialData {
  /** What the node receives; undefined for what the outputs of the nodes before it deliver. */
  readonly input: JsonObject | undefined;
  /** Outputs by node id, then by the name of the output. */
  readonly outputs: Readonly<Record<string, Outputs>>;
  readonly traceparent: string | null;
}

interface LogEntry {
  readonly level: keyof Logger;
  readonly message: string;
  readonly fields?: JsonValue;
}

export interface Trial {
  readonly executionId: string;
  readonly status: ExecutionResult['status'];
  /** By name; of a failed node, what its `onError` passes on. */
  readonly outputs: JsonObject;
  /** Whether the outputs are too large for an answer, and shortened as in a record. */
  readonly isCut?: true;
  readonly failure: NodeFailure | null;
  readonly attempts: number;
  /** Milliseconds. */
  readonly durationMs: number;
  readonly usage?: Usage;
  /** What the nodes of its body did in one pass: in the one that failed, or else in the last. Absent without a body. */
  readonly body?: readonly BodyRun[];
  readonly log: readonly LogEntry[];
  readonly logOmitted: number;
}

type BodyRun = Pick<NodeRecord, 'nodeId' | 'status' | 'attempts' | 'durationMs' | 'input' | 'outputs'> & {
  readonly within: string;
  readonly failure?: NodeFailure;
};

/** The stage that a trial runs on. */
export type TrialStage = Pick<Ports, 'loadNodeTypes' | 'readVariables' | 'clock' | 'ids'> & {
  /** The name of the stage. */
  readonly stage: string;
};

/** Makes a trial an execution of its own, with its own id, whose plan is the node alone. @throws AppError `STORE_UNAVAILABLE` */
export const prepareTrial = async (
  { definition, incoming, before, around, trigger }: TriedNode,
  { input: given, outputs, traceparent }: TrialData,
  stage: TrialStage,
) => {
  const node = definition.nodes[0] as WorkflowNode;
  let hasBody = (_nodeId: string): boolean => false;
  const executionId = stage.ids.next();
  const log = collectLog();
  const inputs = freezeAsEngine(
    given === undefined ? findDelivered(incoming, outputs) : [deliverInput(incoming[0], given)],
  );
  const read = Object.entries(outputs).filter(([id]) => before.has(id));
  const begun = around.map(({ nodeId, output }) => ({
    ...{ nodeId, output },
    data: findOwn(findOwn(outputs, nodeId) ?? {}, output),
  }));
  const known = freezeAsEngine({
    nodes: Object.fromEntries([
      ...read.map(([id, own]) => [id, mainOf(own)] as const),
      ...begun.flatMap(({ nodeId, data }) => (data === undefined ? [] : [[nodeId, data] as const])),
    ]),
    trigger: trigger === null ? {} : mainOf(outputs[trigger.nodeId] ?? {}),
  });
  const item = begun.find(({ output }) => output === EACH_OUTPUT)?.data?.item;
  const { settings } = definition;
  const workflow = {
    version: TRIAL_VERSION,
    updatedAt: new Date(stage.clock.now()).toISOString(),
    definition: { ...definition, settings: { recordData: 'always' as const, ...settings, metrics: false } },
  };
  const execution: NewExecution = {
    executionId,
    workflow: await placeOnStage(workflow, stage),
    trigger: { ...(trigger ?? { nodeId: node.id, type: node.type }), byHand: true },
    traceparent,
    input: mergeInputs(inputs),
    keepsResult: false,
  };
  return {
    execution,
    /** @throws AppError `WORKFLOW_INVALID` */
    openPlan: async (): Promise<Plan> => {
      const plan = compilePlan(definition, asPoll(await stage.loadNodeTypes(nodeTypesOf(definition)), true));
      const owners = plan.nodes.filter(({ nodeType }) => nodeType.control?.bodyOutput !== undefined);
      const ids = new Set(owners.map((owner) => owner.node.id));
      hasBody = (id) => ids.has(id);
      return toTrialPlan(plan, { inputs, item, ...known });
    },
    addLog: log.add,
    /** What the trial answers, once it has run. */
    describe: (result: ExecutionResult): Trial => ({
      executionId,
      ...describeResult(result, node.settings?.onError, hasBody),
      ...log.entries(),
    }),
  };
};

/** The inputs that the connections to a node deliver. */
const findDelivered = (
  incoming: readonly Connection[],
  outputs: TrialData['outputs'],
): readonly DeliveredInput[] =>
  incoming.flatMap((connection) => {
    const own = findOwn(outputs, connection.sourceNodeId) ?? {};
    const data = findOwn(own, connection.sourceOutput ?? MAIN_OUTPUT);
    return data === undefined ? [] : [deliverInput(connection, data)];
  });

const findOwn = <Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;

const deliverInput = (connection: Connection | undefined, data: JsonObject): DeliveredInput => ({
  sourceNodeId: connection?.sourceNodeId ?? '',
  sourceOutput: connection?.sourceOutput ?? MAIN_OUTPUT,
  targetInput: connection?.targetInput ?? MAIN_OUTPUT,
  data,
});

/** Freezes data as the engine freezes what nodes emit. */
const freezeAsEngine = <Value extends object>(value: Value): Value => {
  createMeasureJson()(value);
  return value;
};

/**
 * The plan of a node by itself: the node takes the place of the trigger, and its expressions read the outputs of nodes
 * that have not run.
 */
const toTrialPlan = (
  plan: Plan,
  {
    inputs,
    nodes,
    trigger,
    item,
  }: {
    readonly inputs: readonly DeliveredInput[];
    readonly nodes: JsonObject;
    readonly trigger: JsonObject;
    readonly item: JsonValue | undefined;
  },
): Plan => {
  const withOutputs = (node: PlanNode): PlanNode => {
    const { resolve } = node;
    if (resolve === null) return node;
    return {
      ...node,
      resolve: (scope) =>
        resolve({
          ...scope,
          trigger,
          item: scope.item === undefined ? item : scope.item,
          nodes: Object.assign(Object.create(null), nodes, scope.nodes),
        }),
    };
  };
  const withInputs = (executor: NodeExecutor): NodeExecutor => ({
    getNodeType: () => executor.getNodeType(),
    execute: (node, input, context) => executor.execute(node, input, { ...context, inputs }),
  });
  return {
    ...plan,
    nodes: plan.nodes.map(withOutputs),
    routeFrom: () => computeRoute(plan, 0),
    executorOf: (node) => {
      const executor = plan.executorOf(node);
      if (node.index !== 0) return executor;
      return executor instanceof Promise ? executor.then(withInputs) : withInputs(executor);
    },
  };
};

/** Bytes as JSON in JSON, below the six megabytes of an answer of Lambda, with room for the log. */
const MAX_OUTPUTS_BYTES = 5_000_000;

const describeResult = (
  { status, nodes, output, failure }: ExecutionResult,
  onError: string | undefined,
  hasBody: (nodeId: string) => boolean,
): Omit<Trial, 'executionId' | 'log' | 'logOmitted'> => {
  const [record] = nodes;
  const passedOn = failure === null ? { [onError === 'route' ? ERROR_OUTPUT : MAIN_OUTPUT]: output } : {};
  const outputs = (record?.outputs ?? passedOn) as JsonObject;
  const body = findPasses(nodes, hasBody).map(toBodyRun);
  const isCut = isTooLarge(outputs);
  return {
    status,
    ...(isCut ? { outputs: viewValue(outputs) as JsonObject, isCut } : { outputs }),
    failure: record?.failure ?? failure,
    attempts: record?.attempts ?? 0,
    durationMs: record?.durationMs ?? 0,
    ...(record?.usage === undefined ? {} : { usage: record.usage }),
    ...(body.length === 0 || isTooLarge([outputs, body]) ? {} : { body }),
  };
};

const isTooLarge = (value: unknown): boolean =>
  Buffer.byteLength(JSON.stringify(JSON.stringify(value))) > MAX_OUTPUTS_BYTES;

const toBodyRun = ({ within = '', ...run }: NodeRecord): BodyRun => {
  const { nodeId, status, attempts, durationMs, failure, input, outputs } = run;
  return {
    nodeId,
    within,
    status,
    attempts,
    durationMs,
    ...(failure === undefined ? {} : { failure }),
    ...(input === undefined ? {} : { input }),
    ...(outputs === undefined ? {} : { outputs }),
  };
};

/** Entries of a trial's log, and characters of a message. */
const MAX_ENTRIES = 100;
const MAX_MESSAGE = 1_000;

/** Collects what a node logs, beside the log itself. The engine has removed secrets by then. */
const collectLog = () => {
  const log: LogEntry[] = [];
  let logOmitted = 0;
  const add = (logger: Logger): Logger => {
    const collect =
      (level: keyof Logger): Logger['info'] =>
      (message, fields) => {
        logger[level](message, fields);
        if (log.length >= MAX_ENTRIES) logOmitted += 1;
        else log.push({ level, message: message.slice(0, MAX_MESSAGE), ...describeFields(fields) });
      };
    return { debug: collect('debug'), info: collect('info'), warn: collect('warn'), error: collect('error') };
  };
  return { add, entries: () => ({ log, logOmitted }) };
};

/** The fields of an entry, which the engine could write as JSON, redacted and shortened as data in a record. */
const describeFields = (fields: object | undefined): Pick<LogEntry, 'fields'> =>
  fields === undefined
    ? {}
    : { fields: shortenValue(viewValue(JSON.parse(JSON.stringify(fields, toLoggedData)))) };
