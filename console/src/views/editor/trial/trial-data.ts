import { isPlainObject, type JsonObject } from '@hookloom/plugin-kit';
import { findPasses } from '../../../../../lib/executions/record/body-pass.ts';
import type { DrawnWorkflow } from '../../../parts/graph/graph-layout.ts';
import type { DefinitionNode } from '../../workflow/definition.ts';

/** Data by the name of the output. */
export type Outputs = Readonly<Record<string, JsonObject>>;

/** How a node ran. */
export interface TrialRun {
  readonly status: string;
  readonly failure: { readonly name: string; readonly message: string; readonly details?: unknown } | null;
  readonly attempts: number;
  /** Milliseconds. */
  readonly durationMs: number;
  readonly log: readonly { readonly level: string; readonly message: string; readonly fields?: unknown }[];
  readonly logOmitted: number;
}

/** What a node emitted, and where that comes from. */
export interface NodeData {
  /** `page` ran in this page; a node that was not run, such as a disabled one, passes its input on. */
  readonly from: 'execution' | 'request' | 'example' | 'typed' | 'trial' | 'page' | 'passedOn';
  /** Id of the execution, trial or request; of other data, a name that no other data of the node has. */
  readonly id: string;
  /** When it was made, in ISO 8601; null for an example. */
  readonly at: string | null;
  readonly outputs: Outputs;
  /** Whether it is kept until someone unpins it: a run does not replace it. */
  readonly isPinned: boolean;
  /** Whether there is more data than the outputs have. */
  readonly isCut: boolean;
  /** Null of data that no run made. */
  readonly run: TrialRun | null;
  /** The state of the node and of what is before it, when the data was made; see `findStamps`. */
  readonly stamp: string;
  /** The same for what its body begins with; absent without a body. */
  readonly bodyStamp?: string;
}

/** Data of the nodes of a draft, by node id. */
export type DraftData = Readonly<Record<string, NodeData>>;

/** Data without its stamp. */
export type NewData = Omit<NodeData, 'stamp' | 'bodyStamp'>;

/** A workflow while it is edited: it may be invalid. */
export interface DraftDefinition extends DrawnWorkflow {
  readonly id?: unknown;
  readonly nodes: readonly DefinitionNode[];
}

type DraftConnection = NonNullable<DraftDefinition['connections']>[number];

interface Body {
  readonly output: string;
  readonly nodes: readonly DefinitionNode[];
}

/** What the reference says of the bodies of node types, by the name of the type. */
export type BodyTypes = ReadonlyMap<
  string,
  { readonly control?: { readonly bodyOutput: string | null } | null | undefined }
>;

/** A definition with its connections by their ends. */
export interface DraftGraph {
  readonly definition: DraftDefinition;
  /** The body of each node that has one: the output that leads to it, and its nodes. */
  readonly bodies: ReadonlyMap<string, Body>;
  readonly nodes: ReadonlyMap<string, DefinitionNode>;
  readonly into: ReadonlyMap<string, readonly DraftConnection[]>;
  readonly outOf: ReadonlyMap<string, readonly DraftConnection[]>;
}

export const toGraph = (definition: DraftDefinition, types: BodyTypes): DraftGraph => {
  const { nodes, connections = [] } = definition;
  const graph = {
    definition,
    nodes: new Map(nodes.map((node) => [node.id, node])),
    into: Map.groupBy(connections, ({ targetNodeId }) => targetNodeId),
    outOf: Map.groupBy(connections, ({ sourceNodeId }) => sourceNodeId),
  };
  const bodies = nodes.flatMap(({ id, type }) => {
    const output = types.get(type)?.control?.bodyOutput ?? null;
    return output === null ? [] : [[id, { output, nodes: findBody(graph, id, output) }] as const];
  });
  return { ...graph, bodies: new Map(bodies) };
};

const findBody = (
  { nodes, outOf }: Pick<DraftGraph, 'nodes' | 'outOf'>,
  ownerId: string,
  output: string,
): readonly DefinitionNode[] => {
  const found = new Set<string>();
  const reached = (outOf.get(ownerId) ?? [])
    .filter(({ sourceOutput = 'main' }) => sourceOutput === output)
    .map(({ targetNodeId }) => targetNodeId);
  for (const id of reached) {
    if (id === ownerId || found.has(id)) continue;
    found.add(id);
    for (const { targetNodeId } of outOf.get(id) ?? []) reached.push(targetNodeId);
  }
  return [...found].flatMap((id) => nodes.get(id) ?? []);
};

/** Ids of the nodes that lead to a node. */
export const findBefore = ({ into }: Pick<DraftGraph, 'into'>, id: string): ReadonlySet<string> => {
  const before = new Set<string>();
  const reached = [id];
  for (const target of reached) {
    for (const { sourceNodeId } of into.get(target) ?? []) {
      if (sourceNodeId === id || before.has(sourceNodeId)) continue;
      before.add(sourceNodeId);
      reached.push(sourceNodeId);
    }
  }
  return before;
};

/** The data on `main`, or on the first output if there is no `main`: what `$nodes` has. */
export const mainOf = (outputs: Outputs): JsonObject => outputs.main ?? Object.values(outputs)[0] ?? {};

/** What a node receives from the nodes before it, of which later ones win; null if nothing reaches it. */
export const findInput = ({ into }: DraftGraph, data: DraftData, id: string): JsonObject | null => {
  const delivered = (into.get(id) ?? []).flatMap(({ sourceNodeId, sourceOutput = 'main' }) => {
    const outputs = outputsOf(data, sourceNodeId);
    return Object.hasOwn(outputs, sourceOutput) ? [outputs[sourceOutput] as JsonObject] : [];
  });
  return delivered.length === 0
    ? null
    : Object.fromEntries(delivered.flatMap((each) => Object.entries(each)));
};

const NO_OUTPUTS: Outputs = {};

export const outputsOf = (data: DraftData, id: string): Outputs =>
  (Object.hasOwn(data, id) ? data[id]?.outputs : undefined) ?? NO_OUTPUTS;

/** 53 bits of a text, by cyrb53 (https://github.com/bryc/code): to see changes, not to withstand anyone. */
const hash = (text: string): string => {
  let one = 0xdeadbeef;
  let two = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, 2_654_435_761);
    two = Math.imul(two ^ unit, 1_597_334_677);
  }
  one = Math.imul(one ^ (one >>> 16), 2_246_822_507) ^ Math.imul(two ^ (two >>> 13), 3_266_489_909);
  two = Math.imul(two ^ (two >>> 16), 2_246_822_507) ^ Math.imul(one ^ (one >>> 13), 3_266_489_909);
  return (4_294_967_296 * (2_097_151 & two) + (one >>> 0)).toString(36);
};

/** By the node, which an edit replaces. */
const nodeHashes = new WeakMap<DefinitionNode, string>();

const hashNode = (node: DefinitionNode): string => {
  const known = nodeHashes.get(node);
  if (known !== undefined) return known;
  const { id, type, parameters = {}, settings = {}, credentialId = '', disabled = false } = node;
  const found = hash(JSON.stringify([id, type, parameters, settings, credentialId, disabled]));
  nodeHashes.set(node, found);
  return found;
};

/**
 * Names the states that the data of nodes depends on, by node id: the node, its body, the nodes before it, their connections
 * and their data. Data with another stamp is stale. Each node is looked at once, so that this can follow every key of an edit.
 */
export const findStamps = (graph: DraftGraph, data: DraftData): ReadonlyMap<string, string> => {
  let found = passStamps(graph, data, NO_STAMPS);
  // Of a loop, the first pass has not seen what is entered again; of a loop in a loop, the second.
  for (let pass = 1; found.hasLoop && pass < 3; pass++) found = passStamps(graph, data, found.stamps);
  return found.stamps;
};

const NO_STAMPS: ReadonlyMap<string, string> = new Map();

/** In a map of stamps, what the body of a node begins with: it does not depend on the nodes of the body. */
const bodyKey = (id: string): string => `${id}/body`;

/** In a map of stamps, what a connection delivers. */
const sourceKey = (bodies: DraftGraph['bodies'], sourceNodeId: string, sourceOutput: string): string =>
  bodies.get(sourceNodeId)?.output === sourceOutput ? bodyKey(sourceNodeId) : sourceNodeId;

/** Whether a connection delivers data that is stale. Pinned data is taken as it is. */
export const isDeliveryStale = (
  { bodies }: DraftGraph,
  { data, stamps }: { readonly data: DraftData; readonly stamps: ReadonlyMap<string, string> },
  { sourceNodeId, sourceOutput = 'main' }: DraftConnection,
): boolean => {
  const own = Object.hasOwn(data, sourceNodeId) ? data[sourceNodeId] : undefined;
  if (own === undefined || own.isPinned || own.from === 'example') return false;
  const key = sourceKey(bodies, sourceNodeId, sourceOutput);
  return stamps.get(key) !== (key === sourceNodeId ? own.stamp : own.bodyStamp);
};

const passStamps = (
  { definition, nodes, into, bodies }: DraftGraph,
  data: DraftData,
  earlier: ReadonlyMap<string, string>,
) => {
  const stamps = new Map<string, string>();
  const begun = new Set<string>();
  let hasLoop = false;
  const open = definition.nodes.toReversed();
  for (let node = open.at(-1); node !== undefined; node = open.at(-1)) {
    const incoming = into.get(node.id) ?? [];
    begun.add(node.id);
    const missing = incoming.flatMap(({ sourceNodeId }) =>
      begun.has(sourceNodeId) ? [] : (nodes.get(sourceNodeId) ?? []),
    );
    if (missing.length > 0) {
      open.push(...missing);
      continue;
    }
    open.pop();
    if (stamps.has(node.id)) continue;
    const parts = incoming.map(({ sourceNodeId, sourceOutput = 'main', targetInput = 'main' }) => {
      const id = Object.hasOwn(data, sourceNodeId) ? data[sourceNodeId]?.id : '';
      const key = sourceKey(bodies, sourceNodeId, sourceOutput);
      const stamp = stamps.get(key);
      hasLoop ||= stamp === undefined && begun.has(sourceNodeId);
      return [sourceNodeId, sourceOutput, targetInput, id, stamp ?? earlier.get(key)].join(' ');
    });
    const own = hash([hashNode(node), ...parts].join('\n'));
    const body = bodies.get(node.id);
    if (body !== undefined) stamps.set(bodyKey(node.id), own);
    stamps.set(node.id, body === undefined ? own : hash([own, ...body.nodes.map(hashNode)].join('\n')));
  }
  return { stamps, hasLoop };
};

/** Ids of the nodes whose data was made before the node, or what is before it, was changed. */
export const findStale = (graph: DraftGraph, data: DraftData): ReadonlySet<string> => {
  const stamps = findStamps(graph, data);
  return new Set(
    Object.entries(data).flatMap(([id, { stamp, from }]) =>
      from === 'example' || !stamps.has(id) || stamp === stamps.get(id) ? [] : [id],
    ),
  );
};

/** Adds data that one run made, stamped with the definition that it ran. */
export const addData = (
  graph: DraftGraph,
  data: DraftData,
  added: Readonly<Record<string, NewData>>,
): DraftData => {
  const next = { ...data, ...(added as DraftData) };
  const stamps = findStamps(graph, next);
  return {
    ...next,
    ...Object.fromEntries(
      Object.entries(added).map(([id, own]) => {
        const bodyStamp = stamps.get(bodyKey(id));
        const stamp = stamps.get(id) ?? '';
        return [id, { ...own, stamp, ...(bodyStamp === undefined ? {} : { bodyStamp }) }];
      }),
    ),
  };
};

/** The data under the new id of a renamed node; what was not stale stays so. */
export const renameData = (
  data: DraftData,
  {
    from,
    to,
    before,
    after,
  }: Readonly<Record<'from' | 'to', string>> & Readonly<Record<'before' | 'after', DraftGraph>>,
): DraftData => {
  const graph = before;
  const stale = findStale(graph, data);
  // The data of the old id stays, for an undo.
  const renamed = Object.hasOwn(data, from) ? { ...data, [to]: data[from] as NodeData } : data;
  const stamps = findStamps(after, renamed);
  return Object.fromEntries(
    Object.entries(renamed).map(([id, own]) => {
      const stamp = stale.has(id === to ? from : id) ? undefined : stamps.get(id);
      return [id, stamp === undefined ? own : { ...own, stamp }];
    }),
  );
};

interface RecordedRun {
  readonly nodeId: string;
  readonly within?: string | undefined;
  readonly status: string;
  readonly attempts: number;
  readonly durationMs: number;
  readonly failure?:
    | { readonly name: string; readonly message: string; readonly details?: unknown }
    | undefined;
  readonly input?: unknown;
  readonly outputs?: unknown;
}

type Origin = Pick<NodeData, 'from' | 'id' | 'at'>;

interface Recorded {
  readonly executionId: string;
  readonly startedAt: string;
  readonly nodes: readonly RecordedRun[];
}

/** What the record of an execution has of its nodes; of several runs of a node, the last, and of a body, one pass. */
export const fromExecution = (
  { executionId, startedAt, nodes }: Recorded,
  graph: DraftGraph,
): Readonly<Record<string, NewData>> => {
  const origin = { from: 'execution', id: executionId, at: startedAt } as const;
  const outer = nodes.filter(
    ({ within, status }) => within === undefined && !['skipped', 'running', 'waiting'].includes(status),
  );
  const made = outer.map((run) => [run.nodeId, fromRun(run, origin)] as const);
  return withBodies(Object.fromEntries(made), nodes, origin, graph);
};

const fromRun = (
  { status, attempts, durationMs, failure: thrown, outputs }: RecordedRun,
  origin: Origin,
): NewData => {
  const read = toOutputs(outputs);
  const failure = thrown ?? null;
  return {
    ...origin,
    outputs: read ?? {},
    isPinned: false,
    // A successful run has outputs, which the record may lack.
    isCut: read === null && failure === null,
    run: { status, failure, attempts, durationMs, log: [], logOmitted: 0 },
  };
};

/** With data of the nodes of bodies, from one pass of each, and what that pass began with as an output of the body's owner. */
export const withBodies = (
  made: Readonly<Record<string, NewData>>,
  runs: readonly RecordedRun[],
  origin: Origin,
  { into, bodies }: DraftGraph,
): Readonly<Record<string, NewData>> => {
  const passes = findPasses(runs);
  const all: Record<string, NewData> = { ...made };
  for (const run of passes) all[run.nodeId] = fromRun(run, origin);
  for (const { nodeId, within = '', input } of passes) {
    const ownerId = within.split('/').at(-3) ?? '';
    const [owner, output] = [all[ownerId], bodies.get(ownerId)?.output];
    const begins = into
      .get(nodeId)
      ?.some(({ sourceNodeId, sourceOutput }) => sourceNodeId === ownerId && sourceOutput === output);
    if (owner === undefined || output === undefined || begins !== true) continue;
    if (isPlainObject(input) && !Object.hasOwn(input, '$start'))
      all[ownerId] = { ...owner, outputs: { ...owner.outputs, [output]: input as JsonObject } };
  }
  return all;
};

/** Outputs as a record or an answer has them; null if it has none, or only the start of them (`$bytes`, `$start`). */
export const toOutputs = (value: unknown): Outputs | null => {
  if (!isPlainObject(value) || Object.hasOwn(value, '$start')) return null;
  const entries = Object.entries(value).filter(([, own]) => isPlainObject(own));
  return Object.fromEntries(entries) as Outputs;
};

export interface RecordedRequest {
  readonly id: string;
  readonly workflowId: string;
  readonly receivedAt: string;
  readonly sender: string;
  readonly method: string;
  /** Within the workflow. */
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Why it is not all there; null if it is. */
  readonly missing: string | null;
}

/** The output of a webhook trigger for a request on record. */
export const fromRequest = (request: RecordedRequest): NewData => {
  const { id, workflowId, receivedAt, sender, method, path, query, headers, body, missing } = request;
  return {
    from: 'request',
    id,
    at: receivedAt,
    outputs: {
      main: {
        triggeredAt: receivedAt,
        triggerType: 'webhook',
        body: readBody(body),
        headers,
        queryParams: Object.fromEntries(new URLSearchParams(query)),
        requestMethod: method,
        requestPath: `/api/webhook/${workflowId}${path}`,
        remoteAddress: sender,
      },
    },
    isPinned: false,
    isCut: missing !== null,
    run: null,
  };
};

const readBody = (text: string) => {
  if (text === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** The output of a webhook trigger for a body that someone typed. @param body - JSON */
export const fromBody = (body: string, at: string): NewData => {
  const request = { id: '', workflowId: '', receivedAt: at, sender: '127.0.0.1', method: 'POST', query: '' };
  const headers = { 'content-type': 'application/json' };
  const { outputs } = fromRequest({ ...request, path: '/webhook', headers, body, missing: null });
  return fromText('main', outputs.main ?? {}, at);
};

/** The output of a node that is not run, such as a disabled one. */
export const passOn = (input: JsonObject): NewData => ({
  ...fromText('main', input, new Date().toISOString()),
  from: 'passedOn',
  isPinned: false,
});

/** Whether the page makes the data again, so that it need not be kept. */
export const isDerived = ({ from, isPinned }: NodeData): boolean =>
  !isPinned && (from === 'page' || from === 'passedOn');

/** Data that someone typed; it is pinned, since no run would make it. */
export const fromText = (output: string, value: JsonObject, at: string): NewData => ({
  from: 'typed',
  id: `typed ${hash(JSON.stringify([output, value]))}`,
  at,
  outputs: { [output]: value },
  isPinned: true,
  isCut: false,
  run: null,
});
