import type { Clock } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import type { CredentialStore } from '../../lib/credentials/credential.ts';
import type { OutboundCredentialParts } from '../../lib/credentials/outbound/outbound-credentials.ts';
import { PROBE_PREFIX } from '../../lib/health/ping.ts';
import { quote } from '../../lib/shared/describe.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import type { CheckedWorkflow, Problem } from '../../lib/workflows/definition/problem.ts';
import type { WorkflowStore } from '../../lib/workflows/definition/workflow-store.ts';
import { validateWorkflow } from '../validation/validate.ts';
import { findCredentialProblems, findMetricsProblem } from './find-store-problems.ts';
import { findTimes } from './find-times.ts';
import { findMissingSubworkflows, findUnsignedDeduplication, findUrlWarnings } from './find-warnings.ts';

/** What a workflow is checked against: the node types and the stored data of a stage. */
interface Stage {
  readonly findNodeType: FindNodeType;
  readonly credentials: Pick<CredentialStore, 'find' | 'list'>;
  readonly outbound: Pick<OutboundCredentialParts, 'store' | 'secrets' | 'findType'>;
  readonly workflows: Pick<WorkflowStore, 'find' | 'list'>;
  readonly clock: Pick<Clock, 'now'>;
  /** The current versions of all workflows. */
  readonly listDefinitions: () => Promise<{ readonly definitions: readonly WorkflowDefinition[] }>;
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
  const found = await Promise.all(values.map((value) => validateWorkflow(value, stage.findNodeType)));
  const definitions = found.flatMap(({ definition }) => definition ?? []);
  const metricsProblem = await findMetricsProblem(definitions, stage.listDefinitions);
  return Promise.all(
    found.map(async ({ definition, problems, warnings }, index) => {
      if (definition === null) return { definition, problems, warnings, times: [] };
      const before = found.slice(0, index).some((other) => other.definition?.id === definition.id);
      const ofStage = [
        ...checkId(definition, before),
        ...(await findCredentialProblems(definition, stage.findNodeType, stage)),
        ...(metricsProblem !== null && definition.settings?.metrics === true
          ? [{ path: '/settings/metrics', message: metricsProblem }]
          : []),
      ];
      return {
        definition,
        problems: ofStage,
        warnings: [...warnings, ...(await findStageWarnings(definition, definitions, stage))],
        times: await findTimes(definition, stage.clock.now()),
      };
    }),
  );
};

const checkId = ({ id }: WorkflowDefinition, isRepeated: boolean): Problem[] => [
  ...(isRepeated ? [{ path: '/id', message: `${quote(id)} is also the id of a workflow before it` }] : []),
  ...(id.startsWith(PROBE_PREFIX)
    ? [{ path: '/id', message: `must not begin with ${PROBE_PREFIX}, which is reserved for the doctor` }]
    : []),
];

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
