import { isPlainObject, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { quote, toPointerKey } from '../../../lib/shared/describe.ts';
import type { WorkflowDefinition } from '../../../lib/workflows/definition/definition.ts';
import type { Problem } from '../../../lib/workflows/definition/problem.ts';
import { readResponses } from '../../../lib/workflows/definition/responses.ts';
import { CURRENT_FORMAT } from '../../../lib/workflows/definition/schema.ts';
import { WEBHOOK_TRIGGER } from '../../../lib/workflows/definition/to-path-configs.ts';
import { findAddresses, withoutLiterals } from '../../../lib/workflows/expressions/parameters.ts';
import { splitTemplate } from '../../../lib/workflows/expressions/template.ts';
import { type Ast, isAst, listOf, parseTree } from './references/syntax-tree.ts';

/**
 * Finds what a run of a workflow may do differently in the current format: the places, and what would change there.
 *
 * @returns none for a workflow in the current format
 */
export const findFormatChanges = (
  definition: WorkflowDefinition,
  findNodeType: FindNodeType,
): readonly Problem[] => {
  if (definition.format === CURRENT_FORMAT) return [];
  const { isEarly, follower } = readResponses({ ...definition, format: CURRENT_FORMAT }, (index) =>
    findNodeType(definition.nodes[index]?.type ?? ''),
  );
  return definition.nodes.flatMap(({ id, type, parameters, settings, disabled }, index) => {
    if (disabled === true) return [];
    const followerId = definition.nodes[follower(index) ?? -1]?.id;
    const isChanged = isEarly(index) && parameters.continueAfterResponse !== true;
    const ofResponses = isChanged && followerId !== undefined ? [describeEarly(followerId, index)] : [];
    const { schema = {}, literalParameters = [] } = findNodeType(type) ?? {};
    const texts = findAddresses(withoutLiterals(parameters, literalParameters), [schema]);
    const passesOn = settings?.onError === 'continue' || settings?.onError === 'route';
    const path = `/nodes/${index}/settings/onError`;
    const ofFailures = passesOn ? [{ path, message: describeFailure(id) }] : [];
    const place = `/nodes/${index}/parameters`;
    const holes = texts.flatMap(({ path: keys, text }) =>
      findHoles(text).map((expression) => ({
        path: `${place}/${keys.map(toPointerKey).join('/')}`,
        message: describeHole(expression, 'the node fails'),
      })),
    );
    const ofTrigger = type === WEBHOOK_TRIGGER ? findInTrigger(parameters, place) : [];
    return [...ofResponses, ...holes, ...ofTrigger, ...ofFailures];
  });
};

const describeFailure = (id: string): string =>
  `with "format": ${CURRENT_FORMAT}, ${quote(id)} gives { error, input } if it fails: what reads a field of its input then, reads it as input.FIELD`;

const describeEarly = (followerId: string, trigger: number): Problem => ({
  path: `/nodes/${trigger}/parameters/responseMode`,
  message: `with "format": ${CURRENT_FORMAT}, the caller gets the response as soon as respondToWebhook has run, and ${quote(followerId)} runs in the background; "continueAfterResponse": false makes the caller wait for it`,
});

/** What the parameters of a webhook have in format 2 instead of texts that lack a value. */
const findInTrigger = ({ deduplication, answer, handshake }: JsonObject, place: string): Problem[] => {
  const inside = (value: JsonValue | undefined, path: string, effect: string): Problem[] => {
    if (typeof value === 'string')
      return findHoles(value).map((expression) => ({ path, message: describeHole(expression, effect) }));
    return Object.entries(value ?? {}).flatMap(([key, item]) =>
      inside(item, `${path}/${toPointerKey(key)}`, effect),
    );
  };
  const key = typeof deduplication === 'string' ? deduplication : '';
  const isPartial = key.includes('&') && mayBeNothing(parseTree(key));
  const message = `with "format": ${CURRENT_FORMAT}, a delivery has no key if a part that ${quote('&')} joins gives nothing; write (… ?? '') for a part that may be missing`;
  return [
    ...(isPartial ? [{ path: `${place}/deduplication`, message }] : []),
    ...(isPlainObject(answer)
      ? inside(
          (answer as JsonObject).headers,
          `${place}/answer/headers`,
          'the caller gets 202 without the answer',
        )
      : []),
    ...(isPlainObject(handshake) && isPlainObject(handshake.answer)
      ? inside((handshake.answer as JsonObject).body, `${place}/handshake/answer/body`, 'the sender gets 422')
      : []),
  ];
};

/** @param effect - what happens then */
const describeHole = (expression: string, effect: string): string => {
  const operand = /^[\w$.`]+$/.test(expression) ? expression : `(${expression})`;
  const meant = quote(`{{ ${operand} ?? '' }}`);
  return `with "format": ${CURRENT_FORMAT}, ${effect} if ${quote(`{{ ${expression} }}`)} gives nothing; write ${meant} if it may be empty`;
};

/** The expressions in a text that may give nothing. */
const findHoles = (text: string): readonly string[] =>
  splitTemplate(text).flatMap((part) =>
    'expression' in part && mayBeNothing(parseTree(part.expression)) ? [part.expression.trim()] : [],
  );

/** Operators that always have a result. */
const TOTAL = new Set(['=', '!=', 'and', 'or', 'in']);

/** Functions that give what they are given. */
const SAME = new Set(['rawUrl', 'string', 'encodeUrl', 'encodeUrlComponent']);

/** Values that each execution has. */
const ALWAYS = /^(?:now|millis|uuid|random)$/;

/** Whether the syntax of an expression allows that it has no result, or null. */
const mayBeNothing = (tree: unknown): boolean => {
  if (!isAst(tree)) return true;
  switch (tree.type) {
    case 'string':
    case 'number':
      return false;
    case 'value':
      return tree.value === null;
    case 'binary':
      if (tree.value === '&') return mayBeNothing(tree.lhs) || mayBeNothing(tree.rhs);
      return !TOTAL.has(String(tree.value));
    case 'block':
      return mayBeNothing(listOf(tree.expressions).at(-1));
    case 'condition':
      return (!isGuard(tree) && mayBeNothing(tree.then)) || mayBeNothing(tree.else);
    case 'function': {
      const name = isAst(tree.procedure) ? String(tree.procedure.value) : '';
      const [first] = listOf(tree.arguments);
      return ALWAYS.test(name) ? false : SAME.has(name) ? mayBeNothing(first) : true;
    }
    case 'path':
      return !isGiven(listOf(tree.steps));
    default:
      return true;
  }
};

/** Whether a condition asks for its own result, as those of `??` and `?:` do. */
const isGuard = ({ condition, then: result }: Ast): boolean => {
  if (!isAst(condition)) return false;
  const asked = condition.type === 'function' ? listOf(condition.arguments)[0] : condition;
  return JSON.stringify(asked, withoutPosition) === JSON.stringify(result, withoutPosition);
};

const withoutPosition = (key: string, value: unknown): unknown => (key === 'position' ? undefined : value);

/** A field of the execution, or a variable, which the stage has. */
const isGiven = ([first, second, ...others]: readonly Ast[]): boolean =>
  first?.type === 'variable' &&
  (first.value === 'execution' || first.value === 'vars') &&
  second?.type === 'name' &&
  others.length === 0;
