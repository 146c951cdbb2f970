import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import type { FindNodeType, NodeType } from '@hookloom/plugin-kit/host';
import { didYouMean, quote, toPointerKey } from '../../../lib/shared/describe.ts';
import type { FindNearName } from '../../../lib/shared/near-name.ts';
import { features } from '../../../lib/webhooks/features/features.ts';
import type { Problem } from '../../../lib/workflows/definition/problem.ts';
import { WEBHOOK_TRIGGER } from '../../../lib/workflows/definition/to-path-configs.ts';
import { findReads } from '../../../lib/workflows/expressions/find-reads.ts';
import { type Rule, withoutLiterals } from '../../../lib/workflows/expressions/parameters.ts';
import { splitTemplate } from '../../../lib/workflows/expressions/template.ts';
import { type DraftGraph, edgesTo, sourcesIn } from './graph/draft-graph.ts';
import { proposeValue } from './proposals/proposal.ts';
import { checkNodeExpressions } from './references/check-expressions.ts';
import { foreignNodeTypes } from './references/foreign-names.ts';
import { type Names, type VisibleIds, webhookFieldsOf } from './references/names.ts';
import { checkSchema, isOnlyKnownInRun } from './schema/check-schema.ts';
import type { WorkflowTypes } from './types/infer-workflow.ts';

interface NodeChecks {
  readonly findNodeType: FindNodeType;
  /** Names for expressions; the same for all nodes. */
  readonly names: Names;
  readonly types: WorkflowTypes;
  readonly loopNodes: ReadonlySet<number>;
  /** Whether both ends of every connection exist. */
  readonly isConnected: boolean;
}

/** Checks type, parameters and expressions of every node. */
export const checkNodes = async (
  graph: DraftGraph,
  { findNodeType, names, types, loopNodes, isConnected }: NodeChecks,
): Promise<Problem[]> => {
  const problems: Problem[] = [];
  const isKnown = (name: string): boolean => findNodeType(name) !== null;
  // Kept, since suggestions are slow and many nodes may have the same wrong type.
  const suggestions = new Map<string, string | null>();
  for (const { index, node, nodeType } of graph.nodes) {
    const place = `/nodes/${index}/parameters`;
    const ownId = loopNodes.has(index) ? null : node.id;
    if (nodeType === null) {
      const path = `/nodes/${index}/type`;
      if (!suggestions.has(node.type))
        suggestions.set(node.type, suggestNodeType(node.type, isKnown, names.findNearName));
      const near = suggestions.get(node.type) ?? null;
      const message = `no installed plugin provides the type ${quote(node.type)}${didYouMean(near)}`;
      problems.push({ path, message, ...proposeValue(path, near) });
    } else {
      const wrong = checkSchema(nodeType.schema, node.parameters, place, isOnlyKnownInRun);
      // Values that are set per stage are checked when the trigger is registered there.
      const isTrigger = nodeType.kind === 'trigger' && node.type !== WEBHOOK_TRIGGER;
      const checks = isTrigger && findTemplates(node.parameters, '').length > 0 ? null : nodeType;
      if (wrong.length > 0) problems.push(...wrong);
      else if (checks !== null) problems.push(...(await checkParameters(checks, node.parameters, place)));
    }
    if (nodeType?.kind === 'trigger')
      problems.push(...(await checkTriggerParameters(nodeType, node.parameters, place, names)));
    else
      problems.push(
        ...(await checkNodeExpressions(
          withoutLiterals(node.parameters, nodeType?.literalParameters ?? []),
          place,
          {
            ...names,
            ownId,
            visibleIds: isConnected ? findVisibleIds(graph, index) : null,
            fields: fieldsOf(graph, index),
            types: types.scopeOf(index),
            hasItem: types.scopeOf(index).item !== undefined,
          },
          [(nodeType?.schema ?? {}) as Rule],
        )),
      );
  }
  return problems;
};

/** Runs the node type's own check. A plugin that throws is reported as a problem too, since validation never throws. */
const checkParameters = async (
  nodeType: NodeType,
  parameters: JsonObject,
  place: string,
): Promise<Problem[]> => {
  try {
    const problems = (await nodeType.checkParameters?.(parameters)) ?? [];
    return problems.map(({ path, message }) => ({ path: `${place}${path}`, message }));
  } catch (error) {
    return [{ path: place, message: `could not be checked: ${error}` }];
  }
};

/** Fields of a node's input: the request's directly after webhook triggers, otherwise known only at run time. */
const fieldsOf = (graph: DraftGraph, index: number): readonly string[] | null => {
  const sources = sourcesIn(graph)(index).map((source) => graph.nodes[source]?.node);
  const triggers = sources.flatMap((node) => (node?.type === WEBHOOK_TRIGGER ? [node] : []));
  return sources.length > 0 && triggers.length === sources.length ? webhookFieldsOf(triggers) : null;
};

const suggestNodeType = (
  type: string,
  isKnown: (name: string) => boolean,
  findNearName: FindNearName,
): string | null => {
  const own = type.slice(type.lastIndexOf('.') + 1); // `n8n-nodes-base.set`
  const foreign = foreignNodeTypes.get(own.toLowerCase());
  const same = [own, foreign].find((name) => name !== undefined && isKnown(name));
  return same ?? findNearName(type, isKnown);
};

/**
 * Checks the expressions in a trigger's parameters. It is set up before any run, so only a trigger that registers has
 * any, and they read nothing but variables.
 */
const checkTriggerParameters = async (
  { nodeType: type, firedBy }: NodeType,
  parameters: JsonObject,
  place: string,
  names: Names,
): Promise<Problem[]> => {
  // These read the request; checkWebhooks checks them.
  const own = type === WEBHOOK_TRIGGER ? webhookExpressions.map((path) => `${place}${path}`) : [];
  const found = findTemplates(parameters, place).filter(
    ({ path }) => !own.some((taken) => path === taken || path.startsWith(`${taken}/`)),
  );
  const registers = typeof firedBy === 'object' && firedBy?.register !== undefined;
  const problems: Problem[] = [];
  for (const { path, text } of found) {
    const isOfStage = registers && (await readsVariablesAlone(text));
    const only = registers ? ' other than of $vars' : '';
    if (isOfStage) problems.push(...(await checkNodeExpressions(text, path, { ...names, fields: null })));
    else
      problems.push({
        path,
        message: `can't contain an expression${only}: triggers are set up before any run`,
      });
  }
  return problems;
};

const readsVariablesAlone = async (text: string): Promise<boolean> => {
  for (const part of splitTemplate(text)) {
    if ('text' in part) continue;
    const { reads } = await findReads(part.expression.trim()).catch(() => ({ reads: [] }));
    if (reads.length === 0 || reads.some(({ root }) => root !== 'vars')) return false;
    if (/\$(?:now|millis|random|uuid)\b/.test(part.expression)) return false;
  }
  return true;
};

/** JSON Pointers to the parameters of a webhook trigger that may be expressions. */
const webhookExpressions: readonly string[] = [
  '/deduplication',
  ...features.flatMap(({ name, expressions, templates }) =>
    [...expressions, ...templates].map((path) => `/${name}${path}`),
  ),
];

const findTemplates = (
  value: JsonValue,
  path: string,
): { readonly path: string; readonly text: string }[] => {
  if (typeof value === 'string') return value.includes('{{') ? [{ path, text: value }] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => findTemplates(item, `${path}/${toPointerKey(key)}`));
};

/**
 * Finds the nodes upstream of a node, whose output it can read. A node in a loop is upstream of itself and reads the
 * previous iteration. A body reads what the node that runs it gives to the body.
 */
const findVisibleIds = (graph: DraftGraph, index: number): VisibleIds => ({
  has: (wanted) => {
    for (const id of eachVisibleId(graph, index)) if (id === wanted) return true;
    return false;
  },
  list: () => [...new Set(eachVisibleId(graph, index))],
});

function* eachVisibleId(graph: DraftGraph, index: number): Generator<string> {
  const visited = new Set<number>();
  const work = [index];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    for (const { source } of edgesTo(graph, next)) {
      yield graph.nodes[source]?.node.id ?? '';
      if (visited.has(source)) continue;
      visited.add(source);
      work.push(source);
    }
  }
}
