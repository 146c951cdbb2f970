import type {
  ControlTraits,
  HttpClient,
  JsonObject,
  Logger,
  NodeExecutor,
  NodeResult,
  NodeSettings,
  WorkflowNode,
} from '@hookloom/plugin-kit';
import type { NodeType } from '@hookloom/plugin-kit/host';
import { execute } from '../../lib/engine/execute.ts';
import type { ExecutionResult } from '../../lib/engine/result.ts';
import type { EnginePorts, ExecutionLimits } from '../../lib/engine/session.ts';
import { inlineSteps, type Steps } from '../../lib/engine/steps.ts';
import { fillInDeclarations } from '../../lib/plugins/adapt-provider.ts';
import { compilePlan } from '../../lib/workflows/plan/compile-plan.ts';
import { aVirtualClock } from './a-virtual-clock.ts';

/** What a node of a test does; a map is its output every time. */
export type Behaviour = NodeExecutor['execute'] | JsonObject;

export interface ANode {
  readonly does?: Behaviour;
  readonly parameters?: JsonObject;
  readonly settings?: NodeSettings;
  readonly disabled?: boolean;
  /** Pure by default: only what is not is a step. */
  readonly pure?: boolean;
  /** A node that steers the run; not pure then. */
  readonly control?: ControlTraits;
  readonly kind?: 'trigger' | 'action';
  readonly credentialId?: string;
  readonly credentialTypes?: readonly string[];
  /** Of its parameters; any by default. */
  readonly schema?: JsonObject;
}

export interface ARun {
  /** By id, in plan order. The trigger is `start` and comes first; it puts out its input. */
  readonly nodes: Readonly<Record<string, ANode>>;
  /** `a -> b`, or `a.output -> b`. */
  readonly edges: readonly string[];
  readonly input?: JsonObject;
  /** Of the workflow file. */
  readonly format?: 1 | 2;
  readonly limits?: Partial<ExecutionLimits>;
  /** How long ago the timeout started, in milliseconds. */
  readonly sinceMs?: number;
  readonly collectsEnds?: boolean;
  readonly steps?: (clock: ReturnType<typeof aVirtualClock>['clock']) => Steps;
  readonly executionId?: string;
  readonly ports?: Partial<EnginePorts>;
  /** Answers the requests of its nodes; without it, they fail. */
  readonly http?: HttpClient;
}

export const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export const noOtherWorkflows: EnginePorts['workflows'] = {
  findVersion: async () => null,
  loadPlan: () => Promise.reject(new Error('there are no other workflows in this test')),
};

const toExecutor = (nodeType: string, does: Behaviour): NodeExecutor => ({
  getNodeType: () => nodeType,
  execute: typeof does === 'function' ? does : () => does,
});

const passOn = (_node: WorkflowNode, input: JsonObject): NodeResult => input;

/** The definition and the node types of a run; every node has a type of its own, named after it. */
export const aGraph = ({ nodes, edges, format = 1 }: Pick<ARun, 'nodes' | 'edges' | 'format'>) => {
  const all: Record<string, ANode> = { start: { kind: 'trigger' }, ...nodes };
  const types = new Map<string, NodeType>(
    Object.entries(all).map(
      ([
        id,
        {
          does = passOn,
          control = null,
          pure = control === null,
          kind = 'action',
          schema = {},
          credentialTypes = [],
        },
      ]) => [
        `type-${id}`,
        {
          nodeType: `type-${id}`,
          kind,
          pure,
          control,
          ...fillInDeclarations({}),
          credentialTypes,
          firedBy: null,
          schema,
          getExecutor: async () => toExecutor(`type-${id}`, does),
        },
      ],
    ),
  );
  const definition = {
    id: 'workflow',
    name: 'Workflow',
    format,
    enabled: true,
    nodes: Object.entries(all).map(([id, { parameters = {}, settings, disabled = false, credentialId }]) => ({
      id,
      type: `type-${id}`,
      parameters,
      ...(settings === undefined ? {} : { settings }),
      disabled,
      ...(credentialId === undefined ? {} : { credentialId }),
    })),
    connections: edges.map((edge) => {
      const [, sourceNodeId = '', sourceOutput = 'main', targetNodeId = ''] =
        /^(\w+)(?:\.(\w+))? -> (\w+)$/.exec(edge) ?? [];
      return { sourceNodeId, sourceOutput, targetNodeId };
    }),
  };
  return { definition, findNodeType: (type: string) => types.get(type) ?? null };
};

/** Runs a workflow of nodes that the test makes up, in virtual time. */
export const runGraph = async (run: ARun): Promise<ExecutionResult & { readonly elapsedMs: number }> => {
  const time = aVirtualClock();
  const { definition, findNodeType } = aGraph(run);
  const startedAt = time.clock.now();
  const result = await time.run(
    execute(
      compilePlan(definition, findNodeType),
      {
        execution: {
          executionId: run.executionId ?? 'e-1',
          workflowId: 'workflow',
          workflowVersion: 1,
          trigger: { nodeId: 'start', type: 'type-start' },
          startedAt: new Date(startedAt).toISOString(),
          stage: 'test',
        },
        input: run.input ?? {},
        limits: { timeoutMs: 1_000_000, maxNodeRuns: 100_000, maxOutputBytes: 1_000_000, ...run.limits },
        ...(run.sinceMs === undefined ? {} : { since: startedAt - run.sinceMs }),
        ...(run.collectsEnds === undefined ? {} : { collectsEnds: run.collectsEnds }),
      },
      {
        services: {
          clock: time.clock,
          ids: { next: () => 'id' },
          http: run.http ?? { request: () => Promise.reject(new Error('no network in tests')) },
        },
        logger: silent,
        steps: (run.steps ?? inlineSteps)(time.clock),
        workflows: noOtherWorkflows,
        callbacks: null,
        ...run.ports,
      },
    ),
  );
  return { ...result, elapsedMs: time.clock.now() - startedAt };
};

/** `a b c`: the nodes that ran, in the order in which they were started. */
export const ran = ({ nodes }: Pick<ExecutionResult, 'nodes'>): string =>
  nodes
    .filter(({ status }) => status !== 'skipped')
    .map(({ nodeId }) => nodeId)
    .join(' ');

export const skipped = ({ nodes }: Pick<ExecutionResult, 'nodes'>): string =>
  nodes
    .filter(({ status }) => status === 'skipped')
    .map(({ nodeId }) => nodeId)
    .sort()
    .join(' ');
