import type { WorkflowDefinition } from './definition.ts';
import { checkExpressions } from './parameters.ts';
import type { Problem } from './problem.ts';
import { findPathProblem, toPathConfigs, WEBHOOK_TRIGGER } from './to-path-configs.ts';

/** Addresses, authentication and answers of the workflow's webhooks. */
export const checkWebhooks = async (definition: WorkflowDefinition): Promise<Problem[]> => [
  ...checkAddresses(definition),
  ...(await checkDeduplication(definition)),
];

/** An expression without its braces, for a trigger's parameters hold none. */
const checkDeduplication = async ({ nodes }: WorkflowDefinition): Promise<Problem[]> => {
  const problems: Problem[] = [];
  for (const [index, { type, parameters }] of nodes.entries()) {
    const { deduplication } = type === WEBHOOK_TRIGGER ? parameters : {};
    if (typeof deduplication !== 'string') continue;
    for (const { message } of await checkExpressions(`{{ ${deduplication} }}`)) {
      problems.push({ path: `/nodes/${index}/parameters/deduplication`, message });
    }
  }
  return problems;
};

const checkAddresses = (definition: WorkflowDefinition): Problem[] => {
  const { nodes } = definition;
  const isResponded = nodes.some(({ type, disabled }) => type === 'respondToWebhook' && disabled !== true);
  const firstUse = new Map<string, number>();
  return nodes.flatMap((node, index) => {
    if (node.type !== WEBHOOK_TRIGGER) return [];
    // A disabled trigger is held to the same rules, so that enabling it brings no surprise.
    const [config] = toPathConfigs({ nodes: [{ ...node, disabled: false }] });
    if (config === undefined) return [];
    const place = `/nodes/${index}`;
    const problems: Problem[] = [];

    const pathProblem = findPathProblem(config.path);
    if (pathProblem !== null) problems.push({ path: `${place}/parameters/path`, message: pathProblem });

    if (config.authentication !== 'none' && config.credentialId === null) {
      problems.push({
        path: place,
        message: `authentication "${config.authentication}" needs a credentialId`,
      });
    }
    if (config.authentication === 'none' && config.credentialId !== null) {
      problems.push({
        path: `${place}/credentialId`,
        message: 'has no effect: set the parameter authentication to apiKey or basic',
      });
    }
    if (config.responseMode === 'responseNode' && !isResponded) {
      problems.push({
        path: `${place}/parameters/responseMode`,
        message: 'responseNode needs a node of the type respondToWebhook',
      });
    }

    const address = `${config.method} ${config.path}`;
    const before = firstUse.get(address);
    if (before !== undefined)
      problems.push({ path: place, message: `listens at ${address}, as /nodes/${before} does` });
    else firstUse.set(address, index);
    return problems;
  });
};
