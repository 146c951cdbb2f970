import { Type, type WorkflowNode } from '@hookloom/plugin-kit';
import { didYouMean, quote } from '../../../lib/shared/describe.ts';
import { findNearest } from '../../../lib/shared/near-name.ts';
import { features } from '../../../lib/webhooks/features/features.ts';
import type { WorkflowDefinition } from '../../../lib/workflows/definition/definition.ts';
import { deliveryKeys } from '../../../lib/workflows/definition/delivery-keys.ts';
import { AUTHENTICATIONS, METHODS, type PathConfig } from '../../../lib/workflows/definition/path-config.ts';
import { areAmbiguous } from '../../../lib/workflows/definition/path-pattern.ts';
import { type Problem, problemsWhere } from '../../../lib/workflows/definition/problem.ts';
import {
  findPathProblem,
  toPathConfigs,
  WEBHOOK_TRIGGER,
} from '../../../lib/workflows/definition/to-path-configs.ts';
import type { Rule } from '../../../lib/workflows/expressions/parameters.ts';
import { splitTemplate } from '../../../lib/workflows/expressions/template.ts';
import {
  checkWebhookAnswers,
  checkWebhookTemplates,
  findInRules,
  requestScope,
} from './check-webhook-answers.ts';
import { proposeValue } from './proposals/proposal.ts';
import { checkExpression } from './references/check-expressions.ts';
import { describeQuotes, findDataSource, findKeySource } from './references/data-source.ts';
import { type Names, requestFieldsOf } from './references/names.ts';
import { checkSchema } from './schema/check-schema.ts';
import type { TypeScope } from './types/infer-expression.ts';
import type { WorkflowTypes } from './types/infer-workflow.ts';

const WITH_CREDENTIAL = AUTHENTICATIONS.filter((authentication) => authentication !== 'none').join(' or ');
const NO_AUTHENTICATION = `has no effect: set the parameter authentication to ${WITH_CREDENTIAL}`;

/** Checks paths, authentication, deduplication and features of the workflow's webhooks. */
export const checkWebhooks = async (
  definition: WorkflowDefinition,
  names: Names,
  types: WorkflowTypes,
): Promise<Problem[]> => [
  ...checkAddresses(definition),
  ...checkAuthentication(definition),
  ...(await checkDeduplication(definition, names, types)),
  ...(await checkWebhookRules(definition)),
  ...checkWebhookAnswers(definition),
  ...(await checkWebhookTemplates(definition, names, types)),
  ...(await checkRuleExpressions(definition, names, types)),
];

const PLAIN_WORD = /^[A-Za-z]+$/;

/** Checks `deduplication`: the name of a sender, or an expression over the request without braces. */
const checkDeduplication = async (
  { nodes }: WorkflowDefinition,
  names: Names,
  types: WorkflowTypes,
): Promise<Problem[]> => {
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
      const message = `there is no sender ${quote(deduplication)}${didYouMean(sender)}`;
      problems.push({ path, message, ...proposeValue(path, sender) });
    } else {
      const found = await checkRequestExpression(deduplication, path, {
        parameters,
        names,
        types: requestScope(types, index),
        rules: KEY,
      });
      problems.push(...instead(found, checkKey(deduplication, path, !hasPattern(parameters))));
    }
  }
  return problems;
};

/** What a key can be. */
const KEY: readonly Rule[] = [{ type: 'string' }, { type: 'number' }];

const hasPattern = ({ path }: WorkflowNode['parameters']): boolean =>
  typeof path === 'string' && /[:*]/.test(path);

/** The problems of a constant, instead of warnings about its parts. */
const instead = (found: readonly Problem[], ofConstant: readonly Problem[]): readonly Problem[] =>
  ofConstant.length > 0 && found.every(({ severity }) => severity === 'warning') ? ofConstant : found;

/** A key without data of the request is that of all deliveries. */
const checkKey = (text: string, path: string, isOnePath: boolean): Problem[] => {
  const source = findKeySource(text, isOnePath);
  if (source === 'data') return [];
  if (source === 'fixed')
    return [
      {
        path,
        message:
          'reads only what all deliveries have in common: they have the same key, and only the first one runs',
        ...WARNING,
      },
    ];
  const { hint, meant } = describeQuotes(text);
  const message =
    source !== 'nothing'
      ? "reads nothing that a repeated delivery has again, only the time, chance or the execution: it can't be recognised by it"
      : `reads nothing of the request: all deliveries have the same key, and only the first one runs${hint}`;
  return [{ path, message, ...(source !== 'nothing' ? WARNING : {}), ...proposeValue(path, meant) }];
};

const checkDecision = (text: string, path: string): Problem[] => {
  if (findDataSource(text) !== 'nothing') return [];
  const { hint, meant } = describeQuotes(text);
  const message = `reads nothing of the request: it is the same for all${hint}`;
  return [{ path, message, ...WARNING, ...proposeValue(path, meant) }];
};

const WARNING = { severity: 'warning' } as const;

/** Checks the expressions without braces in the features: `onlyIf` and the `match` of a handshake. */
const checkRuleExpressions = async (
  { nodes }: WorkflowDefinition,
  names: Names,
  types: WorkflowTypes,
): Promise<Problem[]> => {
  const problems: Problem[] = [];
  for (const [index, { type, parameters }] of nodes.entries()) {
    if (type !== WEBHOOK_TRIGGER) continue;
    for (const { pointer, value } of findInRules(parameters, 'expressions')) {
      if (typeof value !== 'string' || value === '') continue;
      const path = `/nodes/${index}/parameters${pointer}`;
      const found = await checkRequestExpression(value, path, {
        parameters,
        names,
        types: requestScope(types, index),
        rules: [{ type: 'boolean' }],
      });
      problems.push(...instead(found, checkDecision(value, path)));
    }
  }
  return problems;
};

/** Checks an expression that is evaluated before the workflow starts: it sees only the request. */
const checkRequestExpression = async (
  source: string,
  path: string,
  {
    parameters,
    names,
    types,
    rules = [],
  }: Pick<WorkflowNode, 'parameters'> & {
    readonly names: Names;
    readonly types: TypeScope;
    readonly rules?: readonly Rule[];
  },
): Promise<Problem[]> => {
  if (source.includes('{{')) {
    const [part, ...others] = splitTemplate(source.trim());
    const isWhole = part !== undefined && 'expression' in part && others.length === 0;
    const proposed = isWhole ? proposeValue(path, part.expression.trim()) : {};
    return [{ path, message: 'is already an expression: remove the braces', ...proposed }];
  }
  const fields = requestFieldsOf([{ parameters }]);
  const unstarted = { nodeIds: new Set<string>(), idOfName: new Map<string, string>(), ownId: null };
  const own = { ...names, ...unstarted, fields, triggerFields: fields, types };
  return checkExpression(source.trim(), path, own, rules);
};

const checkAuthentication = ({ nodes }: WorkflowDefinition): Problem[] =>
  nodes.flatMap(({ type, parameters, credentialId = null }, index) => {
    const { authentication = 'none' } = parameters;
    if (type !== WEBHOOK_TRIGGER || typeof authentication !== 'string') return [];
    const path = `/nodes/${index}`;
    const isOpen = authentication === 'none';
    return problemsWhere(
      [
        !isOpen && credentialId === null,
        path,
        `authentication ${quote(authentication)} needs a credentialId`,
      ],
      [isOpen && credentialId !== null, `${path}/credentialId`, NO_AUTHENTICATION],
    );
  });

/** Checks the features of the workflow's webhooks, by their schemas first. @internal */
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

/** Bounds the search for ambiguous patterns here, and the search for a request's pattern at run time. */
const MAX_PATTERNS = 200;

interface Address {
  readonly config: PathConfig;
  /** Index of the trigger in the nodes. */
  readonly index: number;
}

/** Checks the paths and methods of the workflow's webhooks, and that no request could fire two of them. */
const checkAddresses = ({ nodes }: WorkflowDefinition): Problem[] => {
  const literals = new Map<string, number>();
  const patterns: Address[] = [];
  let triggersWithPattern = 0;

  const findTaken = (address: Address): string | null => {
    const { config, index } = address;
    const own = toMethodAndPath(config);
    if (config.pattern === undefined) {
      const before = literals.get(own);
      literals.set(own, before ?? index);
      return before === undefined ? null : `listens at ${own}, as /nodes/${before} does`;
    }
    const before = patterns.find((other) => isAmbiguous(other, address));
    patterns.push(address);
    if (before === undefined) return null;
    const other = toMethodAndPath(before.config);
    return other === own
      ? `listens at ${own}, as /nodes/${before.index} does`
      : `listens at ${own}, and /nodes/${before.index} at ${other}: some paths match both, and neither has more literal segments`;
  };

  return nodes.flatMap((node, index) => {
    if (node.type !== WEBHOOK_TRIGGER) return [];
    const place = `/nodes/${index}`;
    const own = [...checkMethods(node, place), ...checkPath(node, place)];
    if (own.length > 0) return own;
    const configs = toConfigs(node);
    triggersWithPattern += Number(configs[0]?.pattern !== undefined);
    if (configs[0]?.pattern !== undefined && triggersWithPattern > MAX_PATTERNS) {
      const message = `exceeds the limit of ${MAX_PATTERNS} paths with parameters in one workflow`;
      return [{ path: `${place}/parameters/path`, message }];
    }
    const taken = configs.map((config) => findTaken({ config, index })).find((message) => message !== null);
    return taken === undefined ? [] : [{ path: place, message: taken }];
  });
};

/** Disabled triggers are checked too, so that enabling one can't make the workflow invalid. */
const toConfigs = (node: WorkflowNode): PathConfig[] =>
  toPathConfigs({ nodes: [{ ...node, disabled: false }] });

const toMethodAndPath = ({ method, path }: PathConfig): string => `${method} ${path}`;

const isAmbiguous = (a: Address, b: Address): boolean =>
  a.config.method === b.config.method && areAmbiguous(a.config.pattern ?? [], b.config.pattern ?? []);

const checkPath = (node: WorkflowNode, place: string): Problem[] => {
  const message = findPathProblem(toConfigs(node)[0]?.path ?? '/');
  return message === null ? [] : [{ path: `${place}/parameters/path`, message }];
};

const methodsSchema = Type.Array(Type.Enum([...METHODS]), { minItems: 1, uniqueItems: true });

const checkMethods = ({ parameters: { method, methods } }: WorkflowNode, place: string): Problem[] => {
  if (methods === undefined || methods === null) return [];
  const path = `${place}/parameters/methods`;
  if (method !== undefined && method !== null)
    return [{ path, message: `can't be combined with ${quote('method')}: remove one of them` }];
  return checkSchema(methodsSchema as never, methods, path);
};
