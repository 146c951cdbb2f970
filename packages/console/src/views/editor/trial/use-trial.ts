import type { JsonObject } from '@hookloom/plugin-kit';
import { useIsFetching } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { callApi, Problem } from '../../../api/api.ts';
import type { Answer } from '../../../api/routes.ts';
import { useApi } from '../../../api/use-api.ts';
import type { DeclaredType } from '../../../worker/validate-draft.ts';
import type { EditedDefinition } from '../definition/definition-edits.ts';
import { evaluateNode } from './evaluations.ts';
import { keepData, loadData } from './kept-data.ts';
import {
  fromBody,
  fromExecution,
  fromRequest,
  fromRun,
  fromText,
  passOn,
  type RecordedRequest,
  toOutputs,
  withBodies,
} from './recorded-data.ts';
import { addData, findStale, renameData } from './stale-data.ts';
import {
  type DraftData,
  type DraftDefinition,
  type DraftGraph,
  findInput,
  isDerived,
  type NewData,
  toGraph,
} from './trial-data.ts';
import {
  findEffects,
  findGiven,
  findOrder,
  howToRun,
  isKept,
  isTrigger,
  toSample,
  withExample,
} from './trial-plan.ts';
import { useEvaluations } from './use-evaluations.ts';

/** What is to be run: one node, what leads to it with it, or all (null). */
export interface Wanted {
  readonly target: string | null;
  readonly isAlone: boolean;
}

interface Progress {
  readonly nodeId: string;
  /** Nodes that have run. */
  readonly done: number;
}

/**
 * Readers may try no nodes. Those that touch nothing outside are evaluated for them.
 * @throws the error of the trial for any other
 */
const orEvaluate = async (error: unknown, evaluate: () => Promise<NewData | null>): Promise<NewData> => {
  const made = error instanceof Problem && error.status === 403 ? await evaluate() : null;
  if (made === null) throw error;
  return made;
};

interface TrialFailure {
  /** The node that it belongs to; null for none. */
  readonly nodeId: string | null;
  readonly error: Error;
  readonly definition: EditedDefinition;
}

interface TrialParts {
  /** Empty for a new workflow. */
  readonly workflowId: string;
  readonly definition: EditedDefinition;
  readonly types: ReadonlyMap<string, DeclaredType>;
  /** Loads the types of another version's nodes, or those of this one that have not arrived. */
  readonly loadTypes: (definition: DraftDefinition) => Promise<ReadonlyMap<string, DeclaredType>>;
  /** Whether the definition is what the text says. */
  readonly isReadable: boolean;
}

/** The data of a draft, and the trials that make it. */
export type Trial = ReturnType<typeof useTrial>;

/** Keeps the data of a draft's nodes, and tries nodes on it, one at a time. */
export const useTrial = ({ workflowId, definition, types, loadTypes, isReadable }: TrialParts) => {
  const [own, setOwn] = useState<DraftData>(() => loadData(workflowId));
  const [isKeptHere, setKeptHere] = useState(true);
  const [progress, setProgress] = useState<Progress | null>(null);
  const [report, setReport] = useState('');
  const [failure, setFailure] = useState<TrialFailure | null>(null);
  /** A run that waits for a confirmation, with the nodes that act on the outside. */
  const [asking, setAsking] = useState<(Wanted & { readonly effects: readonly string[] }) | null>(null);
  const latest = useRef(own);
  const control = useRef<AbortController>(null);
  useEffect(() => () => control.current?.abort(), []);

  const graph = useMemo(() => toGraph(definition, types), [definition, types]);
  const data = useMemo(() => withExample(graph, own, types), [graph, own, types]);
  const stale = useMemo(() => findStale(graph, data), [graph, data]);
  // What a run does depends on the types of the nodes.
  const awaited = useIsFetching({
    queryKey: ['GET /api/admin/node-types/{nodeType}'],
    predicate: ({ state }) => state.data === undefined,
  });
  const { data: variables } = useApi('GET /api/admin/variables');
  const values = useMemo(() => (variables === undefined ? null : toValues(variables.variables)), [variables]);
  const failed = useMemo(() => {
    // A failure on the example, as one types, says little: data like this may never arrive.
    const isExample = Object.values(data).some(({ from }) => from === 'example');
    return new Set([
      ...Object.entries(data).flatMap(([id, { from, run }]) =>
        hasFailed(run?.status) && !stale.has(id) && !(from === 'evaluation' && isExample) ? [id] : [],
      ),
      ...(failure?.nodeId == null ? [] : [failure.nodeId]),
    ]);
  }, [data, stale, failure]);

  const set = (next: DraftData) => {
    latest.current = next;
    setOwn(next);
  };
  const keep = () => setKeptHere(keepData(workflowId, latest.current));
  const change = (next: DraftData) => {
    set(next);
    keep();
  };
  const current = () => withExample(graph, latest.current, types);
  /** The example counts for what was made from it, and is not kept itself. */
  const add = (ran: DraftGraph, base: DraftData, added: Readonly<Record<string, NewData>>): DraftData => {
    const all = addData(ran, withExample(ran, base, types), added);
    return { ...base, ...Object.fromEntries(Object.entries(all).filter(([id]) => Object.hasOwn(added, id))) };
  };

  /** Only the trigger that fired has data. */
  const withoutTriggers = (all: DraftData): DraftData =>
    Object.fromEntries(
      Object.entries(all).filter(([id]) => {
        const node = graph.nodes.get(id);
        return node !== undefined && !isTrigger(node, types);
      }),
    );
  const give = (nodeId: string, given: NewData) => {
    const node = graph.nodes.get(nodeId);
    const others =
      node !== undefined && isTrigger(node, types) ? withoutTriggers(latest.current) : latest.current;
    change(add(graph, others, { [nodeId]: given }));
    setFailure(null);
  };

  const load = async (work: () => Promise<void>) => {
    setFailure(null);
    setReport('');
    try {
      await work();
    } catch (error) {
      setFailure({ nodeId: null, error: error as Error, definition });
    }
  };
  const takeExecution = (executionId: string) =>
    load(async () => {
      const read = await callApi('GET /api/admin/executions/{executionId}', { params: { executionId } });
      const params = { workflowId: read.workflowId, version: read.workflowVersion };
      if (read.workflowId !== workflowId)
        throw new Error(`The execution ${executionId} is of the workflow ${read.workflowId}.`);
      const ran = await callApi('GET /api/admin/workflows/{workflowId}/versions/{version}', { params });
      const pinned = Object.entries(withoutTriggers(latest.current)).filter(
        ([id, { isPinned }]) => isPinned && id !== read.trigger.nodeId,
      );
      const kept = Object.fromEntries(pinned);
      const drawnThen = ran.definition as unknown as DraftDefinition;
      const graphThen = toGraph(drawnThen, await loadTypes(drawnThen));
      const recorded = { ...fromExecution(read, graphThen), ...(await findRequest(read)) };
      const made = Object.entries(recorded).filter(([id]) => !Object.hasOwn(kept, id));
      change(add(graphThen, kept, Object.fromEntries(made)));
    });
  const giveRequest = (request: RecordedRequest) => {
    const hooks = definition.nodes.filter(({ type }) => type === 'webhookTrigger');
    const hook =
      hooks.find(({ parameters }) => (parameters?.path ?? '/webhook') === request.path) ?? hooks[0];
    if (hook === undefined) throw new Error('The workflow has no webhook trigger.');
    give(hook.id, fromRequest(request));
  };
  const takeRequest = (id: string) =>
    load(async () => giveRequest(await callApi('GET /api/admin/requests/{id}', { params: { id } })));

  const tryOne = async (
    ran: DraftGraph,
    nodeId: string,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, NewData>>> => {
    const all = withExample(ran, latest.current, types);
    const outputs = findGiven(ran, types, all, nodeId);
    const sent = { definition: ran.definition, nodeId, outputs };
    const answer = await callApi('POST /api/admin/workflows/try', { body: sent, signal });
    const { executionId, body = [] } = answer;
    const origin = { from: 'trial', id: executionId, at: new Date().toISOString() } as const;
    return withBodies({ [nodeId]: fromRun(answer, origin) }, body, origin, ran);
  };

  const evaluations = useEvaluations({
    parts: { graph, types },
    data,
    isOn: isReadable && awaited === 0 && progress === null,
    onMade: (made) => set({ ...latest.current, ...made }),
  });

  /** Runs nodes one after the other, until one fails. The definition is the one at the start. */
  const start = async ({ target, isAlone }: Wanted) => {
    control.current?.abort();
    const stopper = new AbortController();
    control.current = stopper;
    setAsking(null);
    setFailure(null);
    setReport('');
    const order = isAlone && target !== null ? [target] : findOrder(graph, types, target);
    const left: string[] = [];
    let done = 0;
    let end: string | null = null;
    for (const nodeId of order) {
      const node = graph.nodes.get(nodeId);
      const all = withExample(graph, latest.current, types);
      if (node === undefined) continue;
      const input = findInput(graph, all, nodeId);
      const how = howToRun(node, types);
      if (!isAlone && (input === null || isKept(all, findStale(graph, all), nodeId))) continue;
      if (how === 'wait') left.push(nodeId);
      if (how === 'passOn') set(add(graph, latest.current, { [nodeId]: passOn(input ?? {}) }));
      if (how !== 'try') continue;
      setProgress({ nodeId, done });
      try {
        const evaluate = () => evaluateNode({ graph, types }, all, nodeId, stopper.signal);
        const here = isAlone ? null : await evaluate();
        const made =
          here === null
            ? await tryOne(graph, nodeId, stopper.signal).catch(async (error: unknown) => ({
                [nodeId]: await orEvaluate(error, evaluate),
              }))
            : { [nodeId]: here };
        if (stopper.signal.aborted) break;
        const base = isTrigger(node, types) ? withoutTriggers(latest.current) : latest.current;
        const pinned = Object.entries(made).filter(([id]) => id === nodeId || base[id]?.isPinned !== true);
        set(add(graph, base, Object.fromEntries(pinned)));
        done += 1;
        if (!hasFailed(made[nodeId]?.run?.status)) continue;
        end = `${nodeId} failed.`;
      } catch (error) {
        if (stopper.signal.aborted) break;
        setFailure({ nodeId, error: error as Error, definition });
        end = `${nodeId} could not be tried.`;
      }
      break;
    }
    if (control.current !== stopper) return; // the next run reports
    control.current = null;
    setProgress(null);
    keep();
    setReport(describeEnd({ done, end, left, isStopped: stopper.signal.aborted, target, all: current() }));
  };

  const trigger = definition.nodes.find((node) => isTrigger(node, types) && Object.hasOwn(data, node.id));
  return {
    graph,
    data,
    /** Of the trigger that fired in this data; null if there is none. */
    triggerData: trigger === undefined ? null : (data[trigger.id] ?? null),
    /** Outputs that are about to be made anew don't count. */
    stale: useMemo(
      () =>
        evaluations.isPending
          ? new Set([...stale].filter((id) => data[id] === undefined || !isDerived(data[id])))
          : stale,
      [stale, data, evaluations.isPending],
    ),
    failed,
    values,
    /** Names of the stage's variables; null if they are not known. */
    variables: useMemo(() => (values === null ? null : Object.keys(values)), [values]),
    /** Ids of the nodes that the service did not run as one types. */
    left: evaluations.left,
    /** Why outputs could not be made as one types; null if they could. */
    notEvaluated: evaluations.failure,
    isKeptHere,
    canRun: isReadable && awaited === 0 && progress === null,
    progress,
    report,
    failure,
    asking,
    isEmpty: Object.values(own).every(isDerived),
    sampleFor: (id: string) => toSample(graph, types, { data, id, variables: values }),
    takeExecution,
    takeRequest,
    /** A request that was caught as a test. */
    takeCaught: (request: RecordedRequest) =>
      load(async () => {
        giveRequest(request);
        setReport(`Caught ${request.method} ${request.path}: it started nothing.`);
      }),
    /** Data that someone typed for an output of a node. */
    type: (nodeId: string, output: string, value: JsonObject) =>
      give(nodeId, fromText(output, value, new Date().toISOString())),
    /** Begins with a webhook, and with the body that it was made from. @param begun - the definition with the webhook */
    beginWith: (begun: DraftDefinition, nodeId: string, body: string) =>
      change(addData(toGraph(begun, types), {}, { [nodeId]: fromBody(body, new Date().toISOString()) })),
    pin: (nodeId: string, isPinned: boolean) => {
      const pinned = data[nodeId];
      if (pinned !== undefined) change({ ...latest.current, [nodeId]: { ...pinned, isPinned } });
    },
    /** Forgets the data of the triggers: then the first has its example. */
    forgetTriggers: () => change(withoutTriggers(latest.current)),
    forgetAll: () => {
      setReport('');
      setFailure(null);
      change({});
    },
    rename: (from: string, to: string, after: DraftDefinition) => {
      const renamed = renameData(data, { from, to, before: graph, after: toGraph(after, types) });
      change(Object.fromEntries(Object.entries(renamed).filter(([, { from: kind }]) => kind !== 'example')));
    },
    /** Keeps the data of a new workflow under the id that it got. */
    moveTo: (id: string) => {
      keepData(id, latest.current);
      keepData(workflowId, {});
    },
    /** Runs one node at once; several only after a confirmation if some act on the outside. */
    run: (wanted: Wanted) => {
      const all = current();
      const order = wanted.isAlone ? [] : findOrder(graph, types, wanted.target);
      const effects = findEffects(graph, types, { data: all, stale: findStale(graph, all), order });
      if (effects.length > 0) setAsking({ ...wanted, effects });
      else void start(wanted);
    },
    start,
    cancel: () => setAsking(null),
    stop: () => control.current?.abort(),
  };
};

/** What a webhook trigger received, if the record of the execution lacks it and the request is on record. */
const findRequest = async ({
  executionId,
  workflowId,
  requestId,
  trigger: { nodeId, type },
  nodes,
}: Answer<'GET /api/admin/executions/{executionId}'>): Promise<Readonly<Record<string, NewData>>> => {
  const run = nodes.find((one) => one.nodeId === nodeId);
  if (requestId === null || type !== 'webhookTrigger' || toOutputs(run?.outputs) !== null) return {};
  const query = { workflowId, request: requestId, limit: 1 };
  const { requests } = await callApi('GET /api/admin/requests', { query });
  const [found] = requests;
  if (found === undefined) return {};
  const request = await callApi('GET /api/admin/requests/{id}', { params: { id: found.id } });
  return { [nodeId]: { ...fromRequest(request), from: 'execution', id: executionId } };
};

const hasFailed = (status: string | undefined): boolean => status === 'failed' || status === 'timedOut';

const toValues = (variables: readonly { readonly name: string; readonly value: unknown }[]): JsonObject =>
  Object.fromEntries(variables.map(({ name, value }) => [name, value as JsonObject[string]]));

interface End {
  readonly done: number;
  /** Why it ended early; null if it did not. */
  readonly end: string | null;
  /** Nodes that wait, which no trial can run. */
  readonly left: readonly string[];
  readonly isStopped: boolean;
  readonly target: string | null;
  readonly all: DraftData;
}

const describeEnd = ({ done, end, left, isStopped, target, all }: End): string => {
  const isWhole = end === null && !isStopped && left.length === 0;
  const isMissed = target !== null && !Object.hasOwn(all, target);
  return [
    done === 1 ? 'Ran 1 node.' : `Ran ${done} nodes.`,
    end,
    isStopped && 'Stopped: what has begun ends in the service.',
    left.length > 0 &&
      `Not run, since they wait: ${left.join(', ')}. Type their output to go on behind them.`,
    isWhole && !isMissed && done === 0 && 'All outputs are up to date.',
    isWhole && isMissed && `No data reaches ${target}.`,
  ]
    .filter(Boolean)
    .join(' ');
};
