import { isPlainObject, type JsonObject, type JsonValue, MAIN_OUTPUT } from '@hookloom/plugin-kit';
import { type FeatureName, features } from '../../../lib/webhooks/features/features.ts';
import type { WorkflowDefinition } from '../../../lib/workflows/definition/definition.ts';
import { type Problem, problemsWhere } from '../../../lib/workflows/definition/problem.ts';
import { WEBHOOK_TRIGGER } from '../../../lib/workflows/definition/to-path-configs.ts';
import { checkNodeExpressions } from './references/check-expressions.ts';
import { type Names, requestFieldsOf } from './references/names.ts';
import type { TypeScope } from './types/infer-expression.ts';
import type { WorkflowTypes } from './types/infer-workflow.ts';
import { ANYTHING } from './types/types.ts';

/** The response modes in which a parameter has an effect. */
const modesOf: readonly (readonly [FeatureName, readonly string[]])[] = [
  ['answer', ['onReceived']],
  ['lastNodeAnswer', ['lastNode']],
  ['timeoutSeconds', ['lastNode', 'responseNode']],
  ['onTimeout', ['lastNode', 'responseNode']],
  ['continueAfterResponse', ['responseNode']],
];

/** Checks that no response parameter is made ineffective by the others. */
export const checkWebhookAnswers = ({ nodes }: Pick<WorkflowDefinition, 'nodes'>): Problem[] =>
  nodes.flatMap(({ type, parameters }, index) => {
    if (type !== WEBHOOK_TRIGGER) return [];
    const { responseMode = 'onReceived' } = parameters;
    const place = `/nodes/${index}/parameters`;
    return problemsWhere(
      ...modesOf.map(([name, modes]): [boolean, string, string] => [
        !isOff(parameters[name]) && !modes.some((mode) => mode === responseMode),
        `${place}/${name}`,
        `has an effect only with responseMode ${modes.join(' or ')}`,
      ]),
    );
  });

const isOff = (value: JsonValue | undefined): boolean => (value ?? false) === false;

/** Checks syntax and names of the templates over the request. */
export const checkWebhookTemplates = async (
  { nodes }: Pick<WorkflowDefinition, 'nodes'>,
  names: Names,
  types: WorkflowTypes,
): Promise<Problem[]> => {
  const seen: Names = { ...names, nodeIds: new Set(), idOfName: new Map(), ownId: null };
  const problems: Problem[] = [];
  for (const [index, { type, parameters }] of nodes.entries()) {
    if (type !== WEBHOOK_TRIGGER) continue;
    const fields = requestFieldsOf([{ parameters }]);
    const own: Names = { ...seen, fields, triggerFields: fields, types: requestScope(types, index) };
    for (const { pointer, value } of findInRules(parameters, 'templates'))
      problems.push(...(await checkNodeExpressions(value, `/nodes/${index}/parameters${pointer}`, own)));
  }
  return problems;
};

/** What expressions over a request read, before its trigger has run. */
export const requestScope = (types: WorkflowTypes, trigger: number): TypeScope => {
  const request = types.outputOf(trigger, MAIN_OUTPUT);
  return { input: request, trigger: request, nodeOutput: () => ANYTHING };
};

/** The values of a trigger's features that may be expressions or contain templates. */
export const findInRules = (
  parameters: JsonObject,
  kind: 'expressions' | 'templates',
): { readonly pointer: string; readonly value: JsonValue }[] =>
  features.flatMap(({ name, [kind]: paths }) =>
    paths.map((path) => ({
      pointer: `/${name}${path}`,
      value: valueAt(parameters[name] ?? null, path),
    })),
  );

/** @param path - a JSON pointer of names without `~` */
const valueAt = (value: JsonValue, path: string): JsonValue =>
  path
    .split('/')
    .slice(1)
    .reduce<JsonValue>((whole, key) => (isPlainObject(whole) ? (whole[key] ?? null) : null), value);
