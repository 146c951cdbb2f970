import { emit, type JsonObject } from '@hookloom/plugin-kit';
import { type CheckedOptions, checkOptions, type FindNodeType } from '@hookloom/plugin-kit/host';
import type { NodeFailure } from '../../engine/result.ts';
import { compilePlan } from '../../workflows/plan/compile-plan.ts';
import { computeRoute } from '../../workflows/plan/route.ts';
import type { NodePorts, Ports } from '../ports.ts';
import { INLINE_START, toStart } from './new-execution.ts';
import type { TrialStage } from './prepare-trial.ts';
import { createPrepareRun, runToResult } from './run-execution.ts';

/** A parameter whose options are asked for. */
export interface AskedOptions {
  readonly nodeType: string;
  readonly parameter: string;
  readonly credentialId: string | undefined;
  /** What is given of the node's parameters. */
  readonly parameters: JsonObject;
  readonly search: string;
  readonly page: string | null;
}

export interface FoundOptions extends CheckedOptions {
  readonly failure: Pick<NodeFailure, 'name' | 'message'> | null;
}

type OptionsPorts = NodePorts & TrialStage & Pick<Ports, 'guard' | 'logger'>;

const MAX_SECONDS = 10;

/**
 * Finds the options of a parameter with the code of its plugin, on the engine of inline runs, as a node by itself: with its credential, the limits
 * on calls, and secrets removed from what it returns, throws and logs. Nothing is stored.
 *
 * @returns null if there is no such node type, or it finds no options for the parameter
 * @throws AppError `STORE_UNAVAILABLE` | `SECRETS_UNAVAILABLE`
 */
export const findOptions = async (asked: AskedOptions, ports: OptionsPorts): Promise<FoundOptions | null> => {
  const { nodeType: type, credentialId, page } = asked;
  const findNodeType = asOptions(await ports.loadNodeTypes([type]), asked);
  if (findNodeType === null) return null;
  const node = {
    ...{ id: 'options', type, parameters: withoutExpressions(asked.parameters) },
    ...(credentialId !== undefined && { credentialId }),
    settings: { onError: 'fail' as const },
  };
  const execution = {
    executionId: ports.ids.next(),
    workflow: {
      version: 1,
      updatedAt: new Date(ports.clock.now()).toISOString(),
      definition: {
        ...{ id: 'options', name: 'Options', enabled: true, nodes: [node], connections: [] },
        settings: { timeoutSeconds: MAX_SECONDS, recordData: 'never' as const, metrics: false },
      },
    },
    trigger: { nodeId: node.id, type, byHand: true as const },
    traceparent: null,
    input: { search: asked.search, page },
    keepsResult: false,
  };
  const prepare = createPrepareRun({
    ...ports,
    openPlan: async () => {
      const plan = compilePlan(execution.workflow.definition, findNodeType);
      return { ...plan, routeFrom: () => computeRoute(plan, 0) };
    },
  });
  const { run } = await prepare(execution, MAX_SECONDS * 1_000);
  const start = toStart(execution, { ...INLINE_START, startedAt: ports.clock.now(), startToken: '' });
  const { status, output, failure } = await runToResult(() => run(start), start, ports.logger);
  if (status === 'succeeded')
    return { ...(output as unknown as Omit<FoundOptions, 'failure'>), failure: null };
  const { name, message } = failure ?? { name: 'Error', message: 'The options could not be found' };
  return { options: [], nextPage: null, failure: { name, message } };
};

/** The node type as an action that finds the options of one parameter; null if it finds none. */
const asOptions = (
  findNodeType: FindNodeType,
  { nodeType: name, parameter }: AskedOptions,
): FindNodeType | null => {
  const nodeType = findNodeType(name);
  const find =
    nodeType !== null && Object.hasOwn(nodeType.options, parameter) ? nodeType.options[parameter] : undefined;
  if (nodeType === null || typeof find !== 'function') return null;
  return () => ({
    ...nodeType,
    ...{ kind: 'action', pure: false, control: null, firedBy: null, outputs: ['main'] },
    getExecutor: async () => {
      await nodeType.getExecutor(); // prepares its plugin
      return {
        getNodeType: () => name,
        execute: async ({ parameters }, { search = '', page = null }, context) => {
          const call = { parameters, credential: context.credential, context };
          const found = await find({ ...call, search: String(search), page: page as string | null });
          return emit({ main: { ...checkOptions(found, String(search)) } });
        },
      };
    },
  });
};

/** An expression has no value before a run. */
const withoutExpressions = (parameters: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(parameters).filter(([, value]) => !JSON.stringify(value).includes('{{')));
