import { isPlainObject } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { quote } from '../../../lib/shared/describe.ts';
import { limitHints } from '../../../lib/shared/near-name.ts';
import type { WorkflowDefinition } from '../../../lib/workflows/definition/definition.ts';
import { type Problem, problemsWhere } from '../../../lib/workflows/definition/problem.ts';
import { readDuration } from '../../../lib/workflows/definition/read-duration.ts';
import { WEBHOOK_TRIGGER } from '../../../lib/workflows/definition/to-path-configs.ts';
import { loadNatives } from '../../../lib/workflows/expressions/language.chunk.ts';
import { checkEnds, checkGraph } from './check-graph.ts';
import { checkBodies, checkLoops, findLoopNodes } from './check-loops.ts';
import { checkNodes } from './check-nodes.ts';
import { checkReach } from './check-reach.ts';
import { checkSettings } from './check-settings.ts';
import { checkCircles } from './check-subworkflows.ts';
import { checkTopLevel } from './check-top-level.ts';
import { checkWebhooks } from './check-webhooks.ts';
import { type DraftGraph, readDraft, readDraftGraph } from './graph/draft-graph.ts';
import { checkCallers } from './mistakes/check-callers.ts';
import { checkMistakes } from './mistakes/check-mistakes.ts';
import { checkNumbers } from './mistakes/check-numbers.ts';
import { checkResponses } from './mistakes/check-responses.ts';
import { proposeWithout } from './proposals/proposal.ts';
import { checkClashes } from './references/check-clashes.ts';
import { checkData } from './references/check-data.ts';
import { checkInputs } from './references/check-inputs.ts';
import { checkKeys } from './references/check-keys.ts';
import { checkSwitches } from './references/check-switch.ts';
import { checkUrls } from './references/check-urls.ts';
import { type Names, webhookFieldsOf } from './references/names.ts';
import type { InferCalled } from './types/called-workflows.ts';
import { inferWorkflow } from './types/infer-workflow.ts';

type Validation = {
  /** Likely mistakes that don't prevent storing the workflow. */
  readonly warnings: readonly Problem[];
} & (
  | { readonly definition: WorkflowDefinition; readonly problems: readonly [] }
  | { readonly definition: null; readonly problems: readonly Problem[] }
);

/** Maximum nesting depth of a file, within the limits of recursive tools. */
const MAX_DEPTH = 100;

/** Maximum number of problems listed; further ones are only counted. */
const MAX_PROBLEMS = 500;

/**
 * Checks a parsed workflow file and reports all problems and warnings at once, up to {@link MAX_PROBLEMS} each. Never throws. Takes time
 * proportional to the size of the file.
 *
 * @param variables - names of the variables of the stage; null for a file by itself
 * @param inferCalled - finds out what is known of the workflows that it runs; by default nothing
 */
export const validateWorkflow = async (
  value: unknown,
  findNodeType: FindNodeType,
  variables: readonly string[] | null = null,
  inferCalled: InferCalled = async () => new Map(),
): Promise<Validation> => {
  if (isDeeperThan(value, MAX_DEPTH)) {
    return {
      definition: null,
      problems: [{ path: '', message: `is nested deeper than ${MAX_DEPTH} levels` }],
      warnings: [],
    };
  }
  const shape = checkTopLevel(value);
  if (!isPlainObject(value)) return { definition: null, problems: shape, warnings: [] };

  const { definition, madeUp } = readDraft(value);
  const meaning = await checkSemantics(definition, {
    findNodeType,
    variables,
    inferCalled,
    hasValidConnections: hasValidConnections(value, shape),
  });
  // Placeholders for invalid values, and their parents, have schema problems only.
  const doubtful = new Set(madeUp.flatMap(withParents));
  const found = [...shape, ...checkNumbers(value), ...meaning.filter(({ path }) => !doubtful.has(path))];
  const problems = withoutRepeated(found.filter(({ severity }) => severity === undefined));
  const wrong = new Set(problems.map(({ path }) => path));
  const warnings = limit(found.filter(({ path, severity }) => severity === 'warning' && !wrong.has(path)));
  return problems.length === 0
    ? { definition, problems: [], warnings }
    : { definition: null, problems: limit(problems), warnings };
};

/** Removes duplicates, since two checks may report the same mistake. */
const withoutRepeated = (problems: readonly Problem[]): Problem[] => {
  const seen = new Set<string>();
  return problems.filter(({ path, message }) => {
    const key = `${path} ${message}`;
    return !seen.has(key) && seen.add(key);
  });
};

interface Context {
  readonly findNodeType: FindNodeType;
  readonly variables: readonly string[] | null;
  readonly inferCalled: InferCalled;
  /** Whether all connections can be read. */
  readonly hasValidConnections: boolean;
}

const checkSemantics = async (
  definition: WorkflowDefinition,
  { findNodeType, variables, inferCalled, hasValidConnections }: Context,
): Promise<Problem[]> => {
  const graph = readDraftGraph(definition, findNodeType);
  const natives = await loadNatives();
  const called = await inferCalled(definition);
  const types = inferWorkflow(graph, natives, called);
  const hints = limitHints();
  const loopNodes = findLoopNodes(graph);
  const isConnected =
    hasValidConnections &&
    definition.connections.length === graph.edges.length &&
    graph.indexOf.size === definition.nodes.length;
  const names: Names = {
    nodeIds: new Set(graph.indexOf.keys()),
    idOfName: new Map(
      definition.nodes.flatMap(({ name, id }) => (typeof name === 'string' ? [[name, id] as const] : [])),
    ),
    visibleIds: null,
    ownId: null,
    fields: null,
    variables,
    triggerFields: graph.nodes.every(
      ({ nodeType, node }) => nodeType?.kind === 'action' || node.type === WEBHOOK_TRIGGER,
    )
      ? webhookFieldsOf(graph.nodes.flatMap(({ node }) => (node.type === WEBHOOK_TRIGGER ? [node] : [])))
      : null,
    isFunction: (name) => natives.has(name),
    natives,
    ...hints,
  };
  return [
    ...checkGraph(definition, findNodeType, hints.findNearest),
    ...checkEnds(graph, definition, hints.findNearest),
    ...checkReach(graph, definition, hasValidConnections),
    ...checkLoops(graph),
    ...(await checkNodes(graph, { findNodeType, names, types, loopNodes, isConnected })),
    ...checkSettings(graph, loopNodes),
    ...checkExecution(graph, definition),
    ...checkExpectation(definition),
    ...checkBodies(graph),
    ...checkCallers(graph, isConnected),
    ...checkResponses(graph, isConnected),
    ...checkCircles(definition),
    ...(await checkWebhooks(definition, names, types)),
    ...(await checkMistakes(graph, definition, isConnected)),
    ...checkUrls(graph),
    ...checkData(graph),
    ...graph.nodes.flatMap(checkKeys),
    ...checkSwitches(graph, types, natives),
    ...checkInputs(graph, types, called, natives),
    ...(isConnected ? await checkClashes(graph, types, loopNodes) : []),
  ];
};

const hasValidConnections = ({ connections }: Record<string, unknown>, shape: readonly Problem[]): boolean =>
  Array.isArray(connections) && !shape.some(({ path }) => path.startsWith('/connections'));

const limit = (problems: readonly Problem[]): readonly Problem[] =>
  problems.length <= MAX_PROBLEMS
    ? problems
    : [
        ...problems.slice(0, MAX_PROBLEMS),
        {
          path: '',
          message: `has ${problems.length - MAX_PROBLEMS} more problems, not listed here`,
          ...(problems[0]?.severity === undefined ? {} : { severity: problems[0].severity }),
        },
      ];

/** A JSON pointer and its parents: `/a/b`, `/a` and the root. */
const withParents = (pointer: string): string[] => {
  const keys = pointer.split('/');
  return keys.map((_, index) => keys.slice(0, keys.length - index).join('/'));
};

/**
 * Returns whether a value is nested deeper than the limit. Works without recursion, since the value may have any depth.
 */
const isDeeperThan = (value: unknown, limit: number): boolean => {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return false;
};

/** Checks that no node suspends in a workflow with express runs. */
const checkExecution = ({ nodes }: DraftGraph, { settings }: WorkflowDefinition): Problem[] => {
  const waiting = nodes.find(
    ({ nodeType, isDisabled }) => nodeType?.control?.suspends === true && !isDisabled,
  );
  if (waiting === undefined || settings?.execution !== 'express') return [];
  return [
    {
      path: '/settings/execution',
      message: `express runs can't wait, but ${quote(waiting.node.id)} does: use durable, or remove this setting`,
      ...proposeWithout(settings, 'execution', '/settings'),
    },
  ];
};

/** The sweep looks every 15 minutes, and records of executions are kept for 30 days by default. */
const EXPECTED_WITHIN = { min: '15 minutes', max: '30 days' } as const;

const checkExpectation = ({ settings }: WorkflowDefinition): Problem[] => {
  const { expect } = isPlainObject(settings) ? settings : {};
  const every = isPlainObject(expect) && typeof expect.every === 'string' ? readDuration(expect.every) : null;
  const [min, max] = [readDuration(EXPECTED_WITHIN.min)?.ms ?? 0, readDuration(EXPECTED_WITHIN.max)?.ms ?? 0];
  return problemsWhere([
    every !== null && (every.ms < min || every.ms > max),
    '/settings/expect/every',
    `must be from ${EXPECTED_WITHIN.min} to ${EXPECTED_WITHIN.max}`,
  ]);
};
