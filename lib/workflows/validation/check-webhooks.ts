import { didYouMean, quote } from '../../shared/describe.ts';
import { findNearest } from '../../shared/near-name.ts';
import type { WorkflowDefinition } from '../definition/definition.ts';
import { deliveryKeys } from '../definition/delivery-keys.ts';
import { AUTHENTICATIONS } from '../definition/path-config.ts';
import type { Problem } from '../definition/problem.ts';
import { REQUEST_FIELDS } from '../definition/request-fields.ts';
import { findPathProblem, toPathConfigs, WEBHOOK_TRIGGER } from '../definition/to-path-configs.ts';
import { checkWebhookRules } from './check-webhook-rules.ts';
import { checkExpression } from './references/check-expressions.ts';
import type { Names } from './references/names.ts';

const WITH_CREDENTIAL = AUTHENTICATIONS.filter((authentication) => authentication !== 'none');

/** Checks paths, authentication, deduplication and features of the workflow's webhooks. */
export const checkWebhooks = async (definition: WorkflowDefinition, names: Names): Promise<Problem[]> => [
  ...checkAddresses(definition),
  ...(await checkDeduplication(definition, names)),
  ...(await checkWebhookRules(definition)),
];

const PLAIN_WORD = /^[A-Za-z]+$/;

/** Checks `deduplication`: the name of a sender, or an expression over the request without braces. */
const checkDeduplication = async ({ nodes }: WorkflowDefinition, names: Names): Promise<Problem[]> => {
  const seen = { ...names, nodeIds: new Set<string>(), idOfName: new Map<string, string>() };
  const problems: Problem[] = [];
  for (const [index, { type, parameters }] of nodes.entries()) {
    const { deduplication } = type === WEBHOOK_TRIGGER ? parameters : {};
    const path = `/nodes/${index}/parameters/deduplication`;
    if (typeof deduplication !== 'string' || deduplication === '') continue;
    if (Object.hasOwn(deliveryKeys, deduplication)) continue;
    const sender = PLAIN_WORD.test(deduplication)
      ? findNearest(deduplication, Object.keys(deliveryKeys))
      : null;
    if (sender !== null) {
      problems.push({ path, message: `there is no sender ${quote(deduplication)}${didYouMean(sender)}` });
    } else if (deduplication.includes('{{')) {
      problems.push({ path, message: 'is an expression as it stands: leave the braces out' });
    } else {
      const own = { ...seen, ownId: null, fields: REQUEST_FIELDS, triggerFields: REQUEST_FIELDS };
      problems.push(...(await checkExpression(deduplication.trim(), path, own)));
    }
  }
  return problems;
};

const checkAddresses = (definition: WorkflowDefinition): Problem[] => {
  const firstUse = new Map<string, number>();
  return definition.nodes.flatMap((node, index) => {
    if (node.type !== WEBHOOK_TRIGGER) return [];
    // Disabled triggers are checked too, so that enabling one can't make the workflow invalid.
    const [config] = toPathConfigs({ nodes: [{ ...node, disabled: false }] });
    if (config === undefined) return [];
    const place = `/nodes/${index}`;
    const problems: Problem[] = [];

    const pathProblem = findPathProblem(config.path) ?? findPlaceholder(config.path);
    if (pathProblem !== null) problems.push({ path: `${place}/parameters/path`, message: pathProblem });

    if (config.authentication !== 'none' && config.credentialId === null) {
      problems.push({
        path: place,
        message: `authentication ${quote(config.authentication)} needs a credentialId`,
      });
    }
    if (config.authentication === 'none' && config.credentialId !== null) {
      problems.push({
        path: `${place}/credentialId`,
        message: `has no effect: set the parameter authentication to ${WITH_CREDENTIAL.join(' or ')}`,
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

/** Path parameters of other tools, which are literal here: `/users/:id`, `/users/{id}`, `/users/<id>`, `/files/*`. */
const PLACEHOLDER = /^(?::([A-Za-z_]\w*)|(?:\{([^{}]*)\}|<([^<>]*)>|\[([^[\]]*)\]|\*+)$)/;

const findPlaceholder = (path: string): string | null => {
  if (path.includes('{{')) return null; // reported as an expression
  for (const segment of path.split('/')) {
    const found = PLACEHOLDER.exec(segment);
    if (found === null) continue;
    const name = found.slice(1).find((group) => /^\w+$/.test(group ?? '')) ?? 'id';
    return `${quote(segment)} would be taken literally: a path has no parameters; take the value from the query, as queryParams.${name}`;
  }
  return null;
};
