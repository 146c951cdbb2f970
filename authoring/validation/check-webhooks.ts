import type { WorkflowNode } from '@hookloom/plugin-kit';
import { didYouMean, quote } from '../../lib/shared/describe.ts';
import { findNearest } from '../../lib/shared/near-name.ts';
import { features } from '../../lib/webhooks/features/features.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import { deliveryKeys } from '../../lib/workflows/definition/delivery-keys.ts';
import { AUTHENTICATIONS } from '../../lib/workflows/definition/path-config.ts';
import type { Problem } from '../../lib/workflows/definition/problem.ts';
import { WEBHOOK_TRIGGER } from '../../lib/workflows/definition/to-path-configs.ts';
import { checkAddresses } from './check-addresses.ts';
import { checkWebhookAnswers, checkWebhookTemplates, findInRules } from './check-webhook-answers.ts';
import { checkExpression } from './references/check-expressions.ts';
import type { Names } from './references/names.ts';
import { requestFieldsOf } from './references/request-fields.ts';
import { requestShapes } from './references/shapes.ts';
import { checkSchema } from './schema/check-schema.ts';

const WITH_CREDENTIAL = AUTHENTICATIONS.filter((authentication) => authentication !== 'none');

/** Checks paths, authentication, deduplication and features of the workflow's webhooks. */
export const checkWebhooks = async (definition: WorkflowDefinition, names: Names): Promise<Problem[]> => [
  ...checkAddresses(definition),
  ...checkAuthentication(definition),
  ...(await checkDeduplication(definition, names)),
  ...(await checkWebhookRules(definition)),
  ...checkWebhookAnswers(definition),
  ...(await checkWebhookTemplates(definition, names)),
  ...(await checkRuleExpressions(definition, names)),
];

const PLAIN_WORD = /^[A-Za-z]+$/;

/** Checks `deduplication`: the name of a sender, or an expression over the request without braces. */
const checkDeduplication = async ({ nodes }: WorkflowDefinition, names: Names): Promise<Problem[]> => {
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
    } else {
      problems.push(...(await checkRequestExpression(deduplication, path, { parameters, names })));
    }
  }
  return problems;
};

/** Checks the expressions without braces in the features: `onlyIf` and the `match` of a handshake. */
const checkRuleExpressions = async ({ nodes }: WorkflowDefinition, names: Names): Promise<Problem[]> => {
  const problems: Problem[] = [];
  for (const [index, { type, parameters }] of nodes.entries()) {
    if (type !== WEBHOOK_TRIGGER) continue;
    for (const { pointer, value } of findInRules(parameters, 'expressions')) {
      if (typeof value !== 'string' || value === '') continue;
      const path = `/nodes/${index}/parameters${pointer}`;
      problems.push(...(await checkRequestExpression(value, path, { parameters, names })));
    }
  }
  return problems;
};

/** Checks an expression that is evaluated before the workflow starts: it sees only the request. */
const checkRequestExpression = async (
  source: string,
  path: string,
  { parameters, names }: Pick<WorkflowNode, 'parameters'> & { readonly names: Names },
): Promise<Problem[]> => {
  if (source.includes('{{')) return [{ path, message: 'is already an expression: remove the braces' }];
  const fields = requestFieldsOf([{ parameters }]);
  const unstarted = { nodeIds: new Set<string>(), idOfName: new Map<string, string>(), ownId: null };
  const shapes = requestShapes(parameters);
  return checkExpression(source.trim(), path, {
    ...names,
    ...unstarted,
    fields,
    triggerFields: fields,
    shapes,
  });
};

const checkAuthentication = ({ nodes }: WorkflowDefinition): Problem[] =>
  nodes.flatMap(({ type, parameters, credentialId = null }, index) => {
    const { authentication = 'none' } = parameters;
    if (type !== WEBHOOK_TRIGGER || typeof authentication !== 'string') return [];
    const path = `/nodes/${index}`;
    if (authentication !== 'none' && credentialId === null)
      return [{ path, message: `authentication ${quote(authentication)} needs a credentialId` }];
    if (authentication === 'none' && credentialId !== null) {
      const others = WITH_CREDENTIAL.join(' or ');
      const message = `has no effect: set the parameter authentication to ${others}`;
      return [{ path: `${path}/credentialId`, message }];
    }
    return [];
  });

/** Checks the features of the workflow's webhooks, by their schemas first. */
export const checkWebhookRules = async ({ nodes }: WorkflowDefinition): Promise<Problem[]> => {
  const problems: Problem[] = [];
  for (const [index, { type, parameters }] of nodes.entries()) {
    if (type !== WEBHOOK_TRIGGER) continue;
    for (const { name, schema, check } of features) {
      const value = parameters[name];
      if (value === undefined || value === null) continue;
      const place = `/nodes/${index}/parameters/${name}`;
      const wrong = checkSchema(schema, value, place);
      const others = wrong.length > 0 ? [] : await check(value, { parameters });
      problems.push(...wrong, ...others.map(({ path, message }) => ({ path: `${place}${path}`, message })));
    }
  }
  return problems;
};
