import { type Clock, isPlainObject, type JsonObject, type WorkflowNode } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import type { CredentialStore } from '../../../lib/credentials/credential.ts';
import type { OutboundPorts } from '../../../lib/credentials/outbound/ports.ts';
import { PROBE_PREFIX } from '../../../lib/health/ping.ts';
import { describeDisabled } from '../../../lib/plugins/disabled-plugins.ts';
import { quote } from '../../../lib/shared/describe.ts';
import { isAppError } from '../../../lib/shared/errors.ts';
import type { DisabledPlugin } from '../../../lib/shared/settings/settings.ts';
import { resolveTrigger } from '../../../lib/triggers/registrations/resolve-triggers.ts';
import type { WorkflowDefinition } from '../../../lib/workflows/definition/definition.ts';
import {
  type CheckedWorkflow,
  type Problem,
  problemsWhere,
} from '../../../lib/workflows/definition/problem.ts';
import type { ListUsers } from '../../../lib/workflows/definition/uses.ts';
import type { WorkflowStore } from '../../../lib/workflows/definition/workflow-store.ts';
import { readDraft } from '../validation/graph/draft-graph.ts';
import { checkSchema } from '../validation/schema/check-schema.ts';
import { createInferCalled } from '../validation/types/called-workflows.ts';
import { validateWorkflow } from '../validation/validate.ts';
import { describeData } from './describe-data.ts';
import { findCredentialProblems, findMetricsProblem } from './find-store-problems.ts';
import { findTimes } from './find-times.ts';
import { findMissingSubworkflows, findUnsignedDeduplication, findUrlWarnings } from './find-warnings.ts';

/** What a workflow is checked against: the node types and the stored data of a stage. */
interface Stage {
  readonly findNodeType: FindNodeType;
  readonly credentials: Pick<CredentialStore, 'find' | 'list'>;
  readonly outbound: Pick<OutboundPorts, 'store' | 'secrets' | 'findType'>;
  readonly workflows: Pick<WorkflowStore, 'find' | 'list'>;
  /** The values of the stage's variables, by name. */
  readonly readVariables: () => Promise<JsonObject>;
  /** The node types of plugins that are disabled on the stage. */
  readonly readDisabled: () => Promise<ReadonlyMap<string, DisabledPlugin>>;
  readonly clock: Pick<Clock, 'now'>;
  /** Whether the workflows are probes of the doctor, which have ids of their own; false by default. */
  readonly isProbe?: boolean | undefined;
  /** Whether to describe data of which only the stage knows the types; false by default. */
  readonly isDescribed?: boolean | undefined;
  readonly listUsers: ListUsers;
}

/**
 * Checks workflows that are to be stored together in a stage: each by itself, against the others, and against what the
 * stage has. The same checks for the admin API and the local service.
 *
 * @param values - parsed workflow files
 * @returns the findings, in the same order
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const checkWorkflows = async (
  values: readonly unknown[],
  stage: Stage,
): Promise<readonly CheckedWorkflow[]> => {
  const variables = values.some((value) => JSON.stringify(value)?.includes('$vars') === true)
    ? await stage.readVariables()
    : {};
  const names = Object.keys(variables);
  const drafts = values.map((value) => (isPlainObject(value) ? readDraft(value).definition : null));
  const inferCalled = createInferCalled(
    async (id) =>
      drafts.findLast((draft) => draft?.id === id) ?? (await stage.workflows.find(id))?.definition ?? null,
    stage.findNodeType,
  );
  const found = await Promise.all(
    values.map((value) => validateWorkflow(value, stage.findNodeType, names, inferCalled)),
  );
  const definitions = found.flatMap(({ definition }) => definition ?? []);
  const [metricsProblem, disabled] = await Promise.all([
    findMetricsProblem(definitions, stage.listUsers),
    stage.readDisabled(),
  ]);
  return Promise.all(
    found.map(async ({ definition, problems, warnings }, index) => {
      const draft = drafts[index] ?? null;
      const described =
        stage.isDescribed === true && draft !== null
          ? { described: await describeData(draft, inferCalled, stage.findNodeType) }
          : {};
      if (definition === null) return { definition, problems, warnings, times: [], ...described };
      const before = found.slice(0, index).some((other) => other.definition?.id === definition.id);
      const triggers = await resolveStageTriggers(definition, variables, stage.findNodeType);
      const ofStage = [
        ...checkId(definition, before, stage.isProbe === true),
        ...triggers.problems,
        ...(await findCredentialProblems(definition, stage.findNodeType, stage)),
        ...(metricsProblem !== null && definition.settings?.metrics === true
          ? [{ path: '/settings/metrics', message: metricsProblem }]
          : []),
      ];
      return {
        definition,
        problems: ofStage,
        warnings: [
          ...warnings,
          ...(await findStageWarnings(definition, definitions, stage)),
          ...findDisabledNodes(definition, disabled),
        ],
        times: await findTimes(triggers.definition, stage.clock.now()),
        ...described,
      };
    }),
  );
};

/** Resolves the parameters of triggers that the stage's variables set, and checks the values. */
const resolveStageTriggers = async (
  definition: WorkflowDefinition,
  variables: JsonObject,
  findNodeType: FindNodeType,
): Promise<{ readonly definition: WorkflowDefinition; readonly problems: readonly Problem[] }> => {
  const problems: Problem[] = [];
  const nodes: WorkflowNode[] = [];
  for (const [index, node] of definition.nodes.entries()) {
    const place = `/nodes/${index}/parameters`;
    const resolved = await resolveTrigger(node, definition.id, {
      findNodeType,
      readVariables: async () => variables,
    }).catch((error: unknown) => {
      if (!isAppError(error, 'REGISTRATION_REFUSED')) throw error;
      const { path, reason } = error.parameters as { path: string | null; reason: string };
      problems.push({ path: `${place}${path ?? ''}`, message: `with the stage's variables: ${reason}` });
      return node;
    });
    if (resolved !== node)
      for (const { path, message } of checkSchema(
        findNodeType(node.type)?.schema ?? {},
        resolved.parameters,
        place,
      ))
        problems.push({ path, message: `with the stage's variables: ${message}` });
    nodes.push(resolved);
  }
  return { definition: { ...definition, nodes }, problems };
};

/** @param isRepeated - whether a workflow before it has the same id */
export const checkId = ({ id }: WorkflowDefinition, isRepeated: boolean, isProbe: boolean): Problem[] => {
  const hasPrefix = id.startsWith(PROBE_PREFIX);
  return problemsWhere(
    [isRepeated, '/id', `${quote(id)} is also the id of a workflow before it`],
    [isProbe && !hasPrefix, '/id', `must begin with ${PROBE_PREFIX}, as the id of a probe`],
    [!isProbe && hasPrefix, '/id', `must not begin with ${PROBE_PREFIX}, which is reserved for the doctor`],
  );
};

/** Warnings, since a workflow is stored as well while one of its plugins is disabled. */
const findDisabledNodes = (
  { nodes }: WorkflowDefinition,
  disabledTypes: ReadonlyMap<string, DisabledPlugin>,
): readonly Problem[] =>
  nodes.flatMap(({ type, disabled }, index) => {
    const setting = disabledTypes.get(type);
    if (setting === undefined || disabled === true) return [];
    const message = `fails, since the plugin "${setting.id}" is ${describeDisabled(setting)}`;
    return [{ path: `/nodes/${index}/type`, message, severity: 'warning' }];
  });

const findStageWarnings = async (
  definition: WorkflowDefinition,
  others: readonly WorkflowDefinition[],
  { findNodeType, workflows, outbound }: Stage,
): Promise<readonly Problem[]> => [
  ...findTriggerWarnings(definition, findNodeType),
  ...(await findMissingSubworkflows(definition, workflows, others)),
  ...(await findUrlWarnings(definition, findNodeType, outbound)),
];

/** Warns if nothing can start a workflow, which may be intended, and of deliveries that any caller can forge. */
export const findTriggerWarnings = (
  definition: WorkflowDefinition,
  findNodeType: FindNodeType,
): readonly Problem[] => {
  const isStarted = definition.nodes.some(
    ({ type, disabled }) => disabled !== true && findNodeType(type)?.kind === 'trigger',
  );
  const unstarted: Problem[] = isStarted
    ? []
    : [{ path: '', message: 'has no enabled trigger: nothing starts it', severity: 'warning' }];
  return [...unstarted, ...findUnsignedDeduplication(definition)];
};
