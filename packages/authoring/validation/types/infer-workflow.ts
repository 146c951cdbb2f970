import type { Natives, Node } from '@hookloom/counted-jsonata';
import {
  EACH_OUTPUT,
  ERROR_OUTPUT,
  isPlainObject,
  type JsonObject,
  type JsonValue,
  MAIN_OUTPUT,
} from '@hookloom/plugin-kit';
import {
  branchesOf,
  eitherOf,
  fieldSchema,
  isUnknown,
  type NodeType,
  resolveOutput,
  schemaOfOutput,
} from '@hookloom/plugin-kit/host';
import { describeRequest } from '../../../../lib/webhooks/features/describe-request.ts';
import { WEBHOOK_TRIGGER } from '../../../../lib/workflows/definition/to-path-configs.ts';
import { withoutLiterals } from '../../../../lib/workflows/expressions/parameters.ts';
import { splitTemplate } from '../../../../lib/workflows/expressions/template.ts';
import {
  type DraftEdge,
  type DraftGraph,
  type DraftNode,
  edgesFrom,
  edgesTo,
  findOwners,
  reachFrom,
  targetsIn,
} from '../graph/draft-graph.ts';
import { SUBWORKFLOW } from '../graph/subworkflows.ts';
import { describeEvent } from './event-details.ts';
import { continues, createFailures, failureOf, withoutRequired } from './failures.ts';
import { type Inference, inferExpression, type TypeScope } from './infer-expression.ts';
import { parse } from './parse.ts';
import { readReturns } from './read-returns.ts';
import {
  ANYTHING,
  contextOf,
  limitSize,
  listOf,
  objectOf,
  TEXT,
  type Type,
  toType,
  typeNameOf,
} from './types.ts';

/** The types of the data in a workflow; computed for the nodes that are asked for. */
export interface WorkflowTypes {
  /** What the expressions of a node read. */
  scopeOf(index: number): TypeScope;
  /** What a node delivers on an output. */
  outputOf(index: number, output: string): Type;
}

/** What is known of a workflow that a `subworkflow` node runs. */
export interface CalledWorkflow {
  /** The type of what it delivers. */
  readonly output: Type;
  /** The JSON Schema of what its trigger takes; absent if that is anything. */
  readonly input?: JsonObject | undefined;
}

/** The workflows that `subworkflow` nodes run, by id; those that are not known are missing. */
export type CalledWorkflows = ReadonlyMap<string, CalledWorkflow>;

/** Nodes whose types are computed one within the other, which the stack must hold. */
const MAX_CHAIN = 200;

/** The place of `$trigger` among the inputs of nodes. */
const TRIGGER = -1;

/** Connections to one node whose types are merged, and fields that are merged in all: behind more, nothing is known. */
const MAX_INPUTS = 50;
const MAX_MERGED = 30_000;

/**
 * Infers what each node gets and delivers, from what the node types declare.
 *
 * @param called - the workflows that its nodes run
 */
export const inferWorkflow = (
  graph: DraftGraph,
  natives: Natives,
  called: CalledWorkflows = new Map(),
): WorkflowTypes => {
  const { nodes, indexOf } = graph;
  const inputs = new Map<number, Type>();
  const outputs = new Map<string, Type>();

  let depth = 0;
  let merged = 0;

  /** Computes a type once; in a loop, and behind a long chain of nodes that stand after the one that reads it, nothing is known. */
  const once = <Key>(known: Map<Key, Type>, key: Key, compute: () => Type): Type => {
    const found = known.get(key);
    if (found !== undefined) return found;
    if (depth > MAX_CHAIN) return ANYTHING;
    known.set(key, ANYTHING);
    depth += 1;
    const type = limitSize(compute());
    depth -= 1;
    known.set(key, type);
    return type;
  };

  const inputOf = (index: number): Type =>
    once(inputs, index, () => {
      const edges = edgesTo(graph, index);
      if (edges.length > MAX_INPUTS) return ANYTHING;
      const delivered = deliveredBy(edges);
      const [first = ANYTHING, ...others] = delivered;
      if (others.length === 0) return first;
      merged += delivered.flatMap(branchesOf).reduce((sum, type) => sum + countFields(type), 0);
      return merged > MAX_MERGED ? ANYTHING : failures.merge(delivered);
    });

  /** The types of what connections deliver. A node that routes its failures delivers on one of its outputs. */
  const deliveredBy = (edges: readonly DraftEdge[]): readonly Type[] =>
    edges.flatMap((edge, at): Type | readonly Type[] => {
      if (isRouting(edges[at - 1], edge)) return [];
      const routing = nodes[edge.source];
      return routing !== undefined && isRouting(edge, edges[at + 1])
        ? joinFailure(routing, outputOf(edge.source, MAIN_OUTPUT))
        : outputOf(edge.source, edge.output);
    });

  /** Whether two connections are of a node's output and of its failures. */
  const isRouting = (one: DraftEdge | undefined, other: DraftEdge | undefined): boolean =>
    one !== undefined &&
    one.source === other?.source &&
    [one.output, other.output].sort().join() === ROUTED &&
    nodes[one.source]?.isDisabled === false &&
    !failures.isRepeated(one.source);

  const inputsOf = (index: number): Type => {
    const all = edgesTo(graph, index);
    if (all.length > MAX_INPUTS) return ANYTHING;
    const bySource = Map.groupBy(all, ({ source }) => nodes[source]?.node.id ?? '');
    return objectOf(
      Object.fromEntries([...bySource].map(([id, edges]) => [id, eitherOf(deliveredBy(edges))])),
    );
  };

  const outputOf = (index: number, output: string): Type =>
    once(outputs, `${index}/${output}`, () => {
      const draft = nodes[index];
      return draft === undefined ? ANYTHING : computeOutput(draft, output);
    });

  const computeOutput = (draft: DraftNode, output: string): Type => {
    const { index, nodeType, isDisabled, routesErrors } = draft;
    if (isDisabled) return inputOf(index);
    if (nodeType === null) return ANYTHING;
    if (output === ERROR_OUTPUT) return routesErrors ? failureOf(inputOf(index), graph.format) : ANYTHING;
    const success = ownOutput(draft, nodeType, output);
    if (!continues(draft) || output !== MAIN_OUTPUT) return success;
    return joinFailure(draft, success);
  };

  /** What a node gives, or passes on if it fails. */
  const joinFailure = ({ index, node, nodeType }: DraftNode, success: Type): Type => {
    const failure = failureOf(inputOf(index), graph.format);
    const keepsInput = graph.format === 1;
    // Its fields are the same ones whether it fails or not.
    if (keepsInput && JSON.stringify(nodeType?.outputs).includes(`"${INPUT}"`))
      return eitherOf([success, failure]);
    return failures.join({ nodeId: node.id, success, failure, keepsInput });
  };

  const ownOutput = (draft: DraftNode, nodeType: NodeType, output: string): Type => {
    const { index, node } = draft;
    if (node.type === SUBWORKFLOW) return called.get(String(node.parameters.workflowId))?.output ?? ANYTHING;
    const given = {
      stored: node.parameters,
      get input() {
        return inputOf(index);
      },
      get inputs() {
        return inputsOf(index);
      },
      get parameters() {
        return parametersOf(draft);
      },
      get body() {
        return bodyOf(draft);
      },
    };
    try {
      const declared = declaredOutput(nodeType, node.parameters, output);
      if (declared.$ref === INPUT)
        return failures.decides(index) ? failures.settle(inputOf(index)) : inputOf(index);
      return toType(resolveOutput(declared, given));
    } catch {
      return ANYTHING; // of a plugin
    }
  };

  const parametersOf = ({ index, node, nodeType }: DraftNode): Type => {
    const { schema = {}, literalParameters = [] } = nodeType ?? {};
    const scope = nodeType?.kind === 'trigger' ? NO_DATA : scopeOf(index);
    const typeOf = (name: string, value: JsonValue): Type => {
      const rule = toType(fieldSchema(schema, name) ?? {});
      const type = literalParameters.includes(name)
        ? typeOfValue(value, null, natives)
        : typeOfValue(value, scope, natives);
      if (rule.type === 'array' && !isUnknown(type)) return limitSize(listOf(contextOf(type).each));
      return isUnknown(type) ? rule : limitSize(type);
    };
    const types = Object.entries(node.parameters).map(
      ([name, value]) => [name, typeOf(name, value)] as const,
    );
    return limitSize(objectOf(Object.fromEntries(types)));
  };

  /** What the last nodes of a node's body deliver; anything if a part of it may end before. */
  const bodyOf = ({ index, nodeType }: DraftNode): Type => {
    const next = targetsIn(graph);
    const first = edgesFrom(graph, index)
      .filter(({ isBody }) => isBody)
      .map(({ target }) => target);
    const body = [...reachFrom(first, next)].flatMap((at) => nodes[at] ?? []);
    const isSure = body.every(
      ({ nodeType: type, outputs: names, routesErrors }) =>
        type?.endsBranch === false && names?.size === 1 && !routesErrors,
    );
    const ends = body.filter(({ index: at }) => edgesFrom(graph, at).length === 0);
    if (nodeType?.control?.bodyOutput === undefined || !isSure || ends.length === 0) return ANYTHING;
    return eitherOf(ends.map(({ index: at }) => outputOf(at, MAIN_OUTPUT)));
  };

  const triggerType = (): Type =>
    once(inputs, TRIGGER, () =>
      eitherOf(
        nodes
          .filter(({ nodeType, isDisabled }) => nodeType?.kind === 'trigger' && !isDisabled)
          .map(({ index }) => outputOf(index, MAIN_OUTPUT)),
      ),
    );

  /** The inferences of all expressions in a node's parameters. */
  const inferencesOf = (index: number): readonly Inference[] => {
    const { node, nodeType } = nodes[index] as DraftNode;
    const scope = scopeOf(index);
    return [...eachExpression(withoutLiterals(node.parameters, nodeType?.literalParameters ?? []))].flatMap(
      (text) => {
        const tree = parseOrNull(text.trim());
        return tree === null ? [] : inferExpression(tree, scope, natives);
      },
    );
  };

  const failures = createFailures(graph, inferencesOf);

  const asking = new Map<number, boolean>();
  const asksForErrors = (index: number): boolean => {
    const found = asking.get(index);
    if (found !== undefined) return found;
    const result = inferencesOf(index).some(({ doubtful }) =>
      doubtful.some(({ name }) => name === ERROR_OUTPUT),
    );
    if (depth === 0) asking.set(index, result); // the types that are being computed are not known before
    return result;
  };

  let ownersAround: ReturnType<typeof findOwners> | undefined;
  const ownersOf = (index: number): readonly DraftNode[] => {
    ownersAround ??= findOwners(graph);
    return ownersAround(index);
  };

  const scopeOf = (index: number): TypeScope => ({
    failablesOf: failures.failablesOf,
    get asksForErrors() {
      return asksForErrors(index);
    },
    get input() {
      return inputOf(index);
    },
    get trigger() {
      return triggerType();
    },
    get item() {
      const owner = ownersOf(index).find(({ nodeType }) => nodeType?.control?.bodyOutput === EACH_OUTPUT);
      return owner && (fieldSchema(outputOf(owner.index, EACH_OUTPUT), 'item') ?? ANYTHING);
    },
    nodeOutput: (id) => {
      const draft = nodes[indexOf.get(id) ?? -1];
      if (draft === undefined || draft.outputs === null) return ANYTHING;
      const body = draft.nodeType?.control?.bodyOutput;
      if (body !== undefined && ownersOf(index).includes(draft)) return outputOf(draft.index, body);
      const own = [...draft.outputs].filter((name) => name !== draft.nodeType?.control?.bodyOutput);
      const [first = MAIN_OUTPUT] = own;
      const given =
        own.length < 2
          ? outputOf(draft.index, first)
          : eitherOf(own.map((name) => outputOf(draft.index, name)));
      // It is an empty object if the node has delivered nothing.
      const gives =
        draft.nodeType?.endsBranch === false ? given : eitherOf(branchesOf(given).map(withoutRequired));
      const sides = draft.routesErrors && !draft.isDisabled ? failures.sidesOf(draft.index, index) : OWN_SIDE;
      // Outside of the loop, what it has given last can be of another iteration.
      if (sides.own !== sides.error && draft.routesErrors && failures.isRepeated(draft.index))
        return eitherOf([gives, outputOf(draft.index, ERROR_OUTPUT)]);
      if (!sides.own) return outputOf(draft.index, ERROR_OUTPUT);
      // A failure that is passed on is on `main`, which it does not declare.
      if (continues(draft) && !own.includes(MAIN_OUTPUT)) return ANYTHING;
      const type = sides.error ? joinFailure(draft, gives) : gives;
      return failures.failablesOf(type).length > 0 && failures.isDecidedBetween(draft.index, index)
        ? failures.settle(type)
        : type;
    },
  });

  return { scopeOf, outputOf };
};

/**
 * What a node type declares. The webhook trigger, which is in every webhook's bundle, is described here, and so is what the
 * comment of code says, and the pattern of an event trigger.
 */
const declaredOutput = (
  { nodeType, outputs }: NodeType,
  parameters: JsonObject,
  output: string,
): JsonObject => {
  if (nodeType === WEBHOOK_TRIGGER) return describeRequest(parameters) as unknown as JsonObject;
  if (nodeType === EVENT_TRIGGER)
    return describeEvent(schemaOfOutput(outputs, parameters, output), parameters);
  const { code, output: declared } = parameters;
  const returned =
    nodeType === CODE && declared === undefined && typeof code === 'string' ? readReturns(code) : null;
  return returned ?? schemaOfOutput(outputs, parameters, output);
};

/** The node type that is fired by events of AWS. */
const EVENT_TRIGGER = 'eventTrigger';

/** The node type that runs JavaScript. */
const CODE = 'code';

const OWN_SIDE = { own: true, error: false };

/** What an output says that gives the input. */
const INPUT = '#input';

const ROUTED = [ERROR_OUTPUT, MAIN_OUTPUT].sort().join();

const countFields = ({ properties }: Type): number =>
  isPlainObject(properties) ? Object.keys(properties).length : 1;

/** The texts of the expressions in a value, without braces. */
function* eachExpression(value: JsonValue): Generator<string> {
  if (typeof value === 'string') {
    for (const part of splitTemplate(value)) if ('expression' in part) yield part.expression;
  } else if (typeof value === 'object' && value !== null)
    for (const item of Object.values(value)) yield* eachExpression(item);
}

/** What is read before any run: nothing is known. */
const NO_DATA: TypeScope = { input: ANYTHING, trigger: ANYTHING, nodeOutput: () => ANYTHING };

/**
 * The type of a parameter's value, with the types of its expressions.
 *
 * @param scope - what expressions read; null if braces are text
 */
const typeOfValue = (value: JsonValue, scope: TypeScope | null, natives: Natives): Type => {
  if (typeof value === 'string') return scope === null ? TEXT : typeOfText(value, scope, natives);
  if (Array.isArray(value)) return listOf(eitherOf(value.map((item) => typeOfValue(item, scope, natives))));
  if (!isPlainObject(value)) return { type: typeNameOf(value) };
  const fields = Object.entries(value as JsonObject);
  return objectOf(
    Object.fromEntries(fields.map(([name, field]) => [name, typeOfValue(field, scope, natives)])),
    fields.filter(([, field]) => scope === null || !isExpression(field)).map(([name]) => name),
  );
};

/** Whether a value is one expression, which may have no result. */
export const isExpression = (value: JsonValue): boolean => {
  const [part, ...others] = typeof value === 'string' ? splitTemplate(value) : [];
  return part !== undefined && 'expression' in part && others.length === 0;
};

/** The type of a parameter's text. */
export const typeOfText = (text: string, scope: TypeScope, natives: Natives): Type => {
  const [part, ...others] = splitTemplate(text);
  if (part === undefined || !('expression' in part) || others.length > 0) return TEXT;
  const tree = parseOrNull(part.expression.trim());
  return tree === null ? ANYTHING : inferExpression(tree, scope, natives).type;
};

const parseOrNull = (text: string): Node | null => {
  try {
    return parse(text).tree;
  } catch {
    return null;
  }
};
