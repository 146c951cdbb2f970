import type { JsonObject, Logger, PluginProvider } from '@hookloom/plugin-kit';
import { isPure, type NodeType } from '@hookloom/plugin-kit/host';
import { checkTrials } from '../../../authoring/stage/check-trial.ts';
import { systemClock } from '../../../lib/adapters/runtime/system-clock.ts';
import { execute } from '../../../lib/engine/execute.ts';
import type { OtherWorkflows, SharedServices } from '../../../lib/engine/session.ts';
import { inlineSteps } from '../../../lib/engine/steps.ts';
import { computeLimits } from '../../../lib/executions/lifecycle/limits.ts';
import { prepareTrial } from '../../../lib/executions/lifecycle/prepare-trial.ts';
import { toExecutionInfo } from '../../../lib/executions/record/execution-store.ts';
import { adaptUnified } from '../../../lib/plugins/adapt-provider.ts';
import { describeNodeType } from '../../../lib/plugins/reference/describe-node-type.ts';
import data from '../../../nodes/data/data.plugin.ts';
import flow from '../../../nodes/flow/flow.ts';
import { csv } from '../../../nodes/formats/csv.ts';
import { dateTime } from '../../../nodes/formats/date-time.ts';
import { html } from '../../../nodes/formats/html.ts';
import { markdown } from '../../../nodes/formats/markdown.ts';
import { validate } from '../../../nodes/formats/validate.ts';
import { xml } from '../../../nodes/formats/xml.ts';
import { type DeclaredType, type KnownTypes, toNodeTypes } from './validate-draft.ts';

/** A node to run. What is absent is as in the request before. */
export interface TrialRequest {
  readonly known?: KnownTypes;
  readonly definition?: unknown;
  readonly nodeId: string;
  /** Outputs of the nodes before it, and of the trigger: by node id, then by the name of the output. */
  readonly outputs: Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;
  /** The stage's variables, by name; null if they are not known. */
  readonly variables: JsonObject | null;
}

/** To a worker that tries nodes: `load` prepares it, and is answered by null once it can run them. */
export type ToTrials = { readonly load: 'trials' } | { readonly trial: TrialRequest };

/** How a node ran in the page, as the service would answer; null for a node that only the service can run. */
export type PageTrial = Omit<
  ReturnType<Awaited<ReturnType<typeof prepareTrial>>['describe']>,
  'executionId' | 'usage'
> | null;

/** Plugins whose nodes the page can run. Of `formats`, the nodes that need no cryptography of Node. */
const plugins: readonly PluginProvider[] = [
  flow,
  data,
  { ...data, id: 'formats', handles: [csv, xml, html, markdown, dateTime, validate] },
];

const ownTypes = new Map(
  plugins.flatMap((plugin) =>
    adaptUnified(plugin).nodeTypes.map((type) => [type.nodeType, { type, pluginId: plugin.id }]),
  ),
);

/** The node type of this code, if the stage has the same one: it may be a plugin's of the same name, or another version. */
const findOwnType = (declared: DeclaredType): NodeType | null => {
  const own = ownTypes.get(declared.nodeType);
  if (own === undefined || declared.plugin !== own.pluginId || !declared.enabled) return null;
  const isSame = Object.entries(describeNodeType(own.type)).every(
    ([name, value]) =>
      JSON.stringify(value) === JSON.stringify((declared as Readonly<Record<string, unknown>>)[name]),
  );
  return isSame ? own.type : null;
};

/** Runs pure nodes one at a time, with the service's own check, engine and nodes. */
export const createRunTrial = () => {
  let types: ReadonlyMap<string, NodeType> = new Map();
  let own: ReadonlyMap<string, NodeType> = new Map();
  let definition: unknown;
  let variables: JsonObject | null = null;
  let checked: ReturnType<typeof checkTrials> | null = null;
  const readVariables = async (): Promise<JsonObject> => {
    if (variables === null) throw new Error('the variables of the stage are not known');
    return variables;
  };
  const loadNodeTypes = async () => (name: string) => own.get(name) ?? types.get(name) ?? null;

  return async (request: TrialRequest): Promise<PageTrial> => {
    const { known, nodeId, outputs } = request;
    if (known !== undefined) {
      types = toNodeTypes(known);
      own = new Map(
        known.declared.flatMap((declared) => {
          const found = findOwnType(declared);
          return found === null ? [] : [[found.nodeType, found]];
        }),
      );
    }
    if (request.definition !== undefined) definition = request.definition;
    const isNew = known !== undefined || request.definition !== undefined || checked === null;
    variables = request.variables;
    if (isNew) checked = checkTrials(definition, { loadNodeTypes, readVariables });
    const trial = await checked?.then((find) => find(nodeId)).catch(() => null); // variables may not be known yet
    if (trial === undefined || trial === null || trial.problems !== null) return null;
    const [node] = trial.definition.nodes;
    const type = own.get(node?.type ?? '');
    if (node === undefined || type === undefined || !isPure(type, node.parameters)) return null;
    if (JSON.stringify(node.parameters).includes('$execution')) return null; // the service has its id and stage
    const { execution, openPlan, addLog, describe } = await prepareTrial(
      trial,
      { input: undefined, outputs, traceparent: null },
      { loadNodeTypes, stage: '', readVariables, clock: systemClock, ids },
    );
    const { workflow, trigger, input } = execution;
    const plan = await openPlan();
    const info = toExecutionInfo(
      {
        executionId: execution.executionId,
        workflowId: workflow.definition.id,
        workflowVersion: workflow.version,
        trigger,
        traceparent: null,
        startedAt: systemClock.now(),
      },
      workflow,
    );
    const result = await execute(
      plan,
      {
        execution: info,
        input,
        variables: workflow.variables,
        limits: computeLimits(workflow.definition.settings, 'inline'),
      },
      {
        services,
        logger: addLog(silent),
        steps: inlineSteps(systemClock),
        workflows: noWorkflows,
        callbacks: null,
      },
    );
    const { executionId: _own, usage: _usage, ...answer } = describe(result);
    return answer;
  };
};

const refuse = () => Promise.reject(new Error('not in the page'));

/** The seed of random values: it stays, so that they change only with what reads them. */
const ids = { next: () => 'trial-in-page' };

const services: SharedServices = { clock: systemClock, ids, http: { request: refuse } };

const noWorkflows: OtherWorkflows = { findVersion: refuse, loadPlan: refuse };

const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
