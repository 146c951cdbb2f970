import { readInstant } from '@hookloom/counted-jsonata/times';
import { ERROR_OUTPUT, type JsonValue, MAIN_OUTPUT } from '@hookloom/plugin-kit';
import pLimit from 'p-limit';
import { isOpen, type NodeFailure, type NodeRecord } from '../../engine/result.ts';
import { redactText } from '../../shared/secrets/redact-text.ts';
import type { Ports } from '../ports.ts';
import { findDecision } from '../record/decision.ts';
import { describeExecution, toIso } from '../record/describe-execution.ts';
import type { ExecutionRecord, PendingCallback } from '../record/execution-store.ts';
import {
  openDecision,
  type ReadExpression,
  type ReadValue,
  type RecordedExpression,
} from './recorded-expression.ts';
import { deliveredOutputs, hasDelivered, type RecordedNode, readRun } from './recorded-run.ts';

/** Why a node run did what it did. Bounded and redacted; times are ISO 8601, UTC. */
interface Reason {
  /** For people: `gave false: total 99.5 > 100`. */
  readonly text: string;
  /** The expression that decided, without its braces. */
  readonly expression?: string;
  /** The paths that the expression reads, with the values that they had. */
  readonly values?: readonly ReadValue[];
  /** How many further paths it reads; absent if none. */
  readonly valuesOmitted?: number;
  readonly result?: JsonValue;
  /** The outputs that delivered nothing, so that the node was skipped. */
  readonly causes?: readonly { readonly nodeId: string; readonly output: string }[];
  /** When the wait ends, at the latest, or ended. */
  readonly until?: string;
  /** The question that waits for an answer, and its sender. */
  readonly title?: string;
  readonly askedBy?: string;
  /** The attempt that the node waits for, and why the one before it failed. */
  readonly attempt?: number;
  readonly failure?: Pick<NodeFailure, 'name' | 'message'>;
}

/** The node runs of an execution, with the reasons for what they did. */
export interface ExplainedExecution {
  readonly record: ExecutionRecord;
  /** One entry for each entry of the record's nodes. */
  readonly nodes: readonly ExplainedNode[];
  /** How many reasons are left out because of their size. */
  readonly reasonsOmitted: number;
}

export interface ExplainedNode {
  readonly record: NodeRecord;
  /** Null if there is nothing to explain, or the record does not say. */
  readonly why: Reason | null;
  /** The outputs that delivered; null if they are unknown, or the node has not ended. */
  readonly delivered: readonly string[] | null;
}

/** The reasons of one execution, in characters of JSON. */
const MAX_REASONS_LENGTH = 500_000;
/** Parameters that are parsed for one record; further nodes have no expressions in their reasons. */
const MAX_PARAMETERS = 500;
const MAX_CALLBACKS = 20;
const CONCURRENCY = 10;
const MAX_CAUSES = 5;

/**
 * Explains the node runs of an execution from what its record holds, and the version of the workflow that it ran.
 * Data that the record lacks is `notRecorded`.
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const explainExecution = async (
  record: ExecutionRecord,
  { workflows, executions }: Pick<Ports, 'workflows' | 'executions'>,
): Promise<ExplainedExecution> => {
  const { executionId, workflowId, workflowVersion } = record;
  const workflow = await workflows.findVersion(workflowId, workflowVersion);
  const callbacks = await findCallbacks(record, (name) => executions.findCallback(executionId, name));
  const openParameter = createOpenParameter(record);
  const decided = new Map<RecordedNode, RecordedExpression | null>();
  const causes = new Map<RecordedNode, readonly Cause[]>();
  for (const state of readRun(record, workflow)) {
    const read = await openParameter(state);
    decided.set(state, read === null ? null : await read(state.scope));
    if (state.record.status === 'skipped') causes.set(state, findCauses(state, causes));
  }
  let left = MAX_REASONS_LENGTH;
  let reasonsOmitted = 0;
  const nodes = [...decided].map(([state, expression]): ExplainedNode => {
    const why = explainNode(state, { expression, decided, causes, callbacks });
    left -= why === null ? 0 : JSON.stringify(why).length;
    if (why !== null && left < 0) reasonsOmitted++;
    return { record: state.record, why: left < 0 ? null : why, delivered: findDelivered(state) };
  });
  return { record, nodes, reasonsOmitted };
};

/** An execution as operators see it, with the reasons at its nodes. */
export const describeExplained = ({ record, nodes, reasonsOmitted }: ExplainedExecution) => {
  const described = describeExecution(record);
  return {
    ...described,
    nodes: described.nodes.map((node, at) => {
      const why = nodes[at]?.why ?? null;
      return why === null ? node : { ...node, why };
    }),
    reasonsOmitted,
  };
};

/** The callbacks that waiting nodes wait for, by name. */
const findCallbacks = async (
  { nodes }: ExecutionRecord,
  find: (name: string) => Promise<PendingCallback | null>,
): Promise<ReadonlyMap<string, PendingCallback>> => {
  const names = nodes.filter(isOpen).flatMap(({ callbacks = [] }) => callbacks.at(-1) ?? []);
  const found = await pLimit(CONCURRENCY).map(names.slice(0, MAX_CALLBACKS), async (name) => {
    const callback = await find(name);
    return callback === null ? [] : [[name, callback] as const];
  });
  return new Map(found.flat());
};

/** Opens the parameter by which a node decides, once per node; null for a node that decides nothing. */
const createOpenParameter = ({ trigger }: ExecutionRecord) => {
  const opened = new Map<string, ReadExpression | null>();
  const open = async ({ node, record }: RecordedNode): Promise<ReadExpression | null> => {
    if (node === null) return null;
    const isTrigger = node.id === trigger.nodeId && record.within === undefined;
    // An operator's start is not subject to `onlyIf`.
    const decision = isTrigger && trigger.byHand === true ? null : findDecision(node, isTrigger);
    return decision === null ? null : openDecision(decision);
  };
  return async (state: RecordedNode): Promise<ReadExpression | null> => {
    const id = state.node?.id ?? '';
    if (state.record.status === 'skipped' || state.record.status === 'passedThrough') return null;
    if (!opened.has(id) && opened.size < MAX_PARAMETERS) opened.set(id, await open(state));
    return opened.get(id) ?? null;
  };
};

/** An output that delivered nothing. */
interface Cause {
  readonly source: RecordedNode;
  readonly output: string;
  /** The skipped node in between, if the cause is further away. */
  readonly via?: string;
}

/** The causes of a skipped node: of a skipped source, its own causes. */
const findCauses = (
  { sources }: RecordedNode,
  known: ReadonlyMap<RecordedNode, readonly Cause[]>,
): readonly Cause[] => {
  const found: Cause[] = [];
  for (const { source, output } of sources) {
    const causes =
      source.record.status === 'skipped'
        ? (known.get(source) ?? []).map((cause) => ({ ...cause, via: source.record.nodeId }))
        : [{ source, output }];
    for (const cause of causes) {
      const isKnown = found.some((one) => one.source === cause.source && one.output === cause.output);
      if (!isKnown) found.push(cause);
    }
    if (found.length >= MAX_CAUSES) break;
  }
  return found.slice(0, MAX_CAUSES);
};

interface Known {
  /** What the node itself decided by. */
  readonly expression: RecordedExpression | null;
  readonly decided: ReadonlyMap<RecordedNode, RecordedExpression | null>;
  readonly causes: ReadonlyMap<RecordedNode, readonly Cause[]>;
  readonly callbacks: ReadonlyMap<string, PendingCallback>;
}

const explainNode = (state: RecordedNode, known: Known): Reason | null => {
  const { record } = state;
  const { expression, decided, causes, callbacks } = known;
  if (record.status === 'skipped') return explainSkip(causes.get(state) ?? [], decided);
  if (record.type === 'wait') return expression === null ? null : explainWait(record, expression);
  if (isOpen(record)) return explainOpen(state, callbacks);
  return expression === null ? null : explainDecision(state, expression);
};

const explainSkip = (causes: readonly Cause[], decided: Known['decided']): Reason | null => {
  const [first] = causes;
  if (first === undefined) return null;
  const clauses = causes.map((cause) => describeCause(cause, decided.get(cause.source) ?? null));
  const like = first.via === undefined ? '' : `like \`${first.via}\`, `;
  return {
    text: `skipped, ${like}since ${clauses.join(', and ')}`,
    causes: causes.map(({ source, output }) => ({ nodeId: source.record.nodeId, output })),
  };
};

const describeCause = ({ source, output }: Cause, expression: RecordedExpression | null): string => {
  const { nodeId, status } = source.record;
  if (status === 'passedThrough')
    return `\`${nodeId}\` is disabled and passes its input only to "${MAIN_OUTPUT}"`;
  if (expression !== null && source.record.type !== 'wait')
    return `\`${nodeId}\` ${explainDecision(source, expression).text}`;
  if (status === 'failed') return `\`${nodeId}\` failed`;
  if (output === ERROR_OUTPUT) return `\`${nodeId}\` did not fail`;
  const delivered = deliveredOutputs(source).map((name) => `"${name}"`);
  return delivered.length === 0
    ? `\`${nodeId}\` delivered nothing on "${output}"`
    : `\`${nodeId}\` delivered on ${delivered.join(', ')}, not on "${output}"`;
};

const explainDecision = (state: RecordedNode, { text, ...read }: RecordedExpression): Reason => {
  const { type } = state.record;
  const facts = { ...toFacts(read) };
  if (state.record.status === 'failed') return { text: `could not decide: ${text}`, ...facts };
  if (type === 'switch') return explainSwitch(state, { text, ...read }, facts);
  const isTrue = readCondition(state);
  const isContradicted = isTrue !== null && typeof read.result === 'boolean' && read.result !== isTrue;
  const result = isTrue ?? read.result;
  const name = type === 'if' || type === 'filter' ? '' : '`onlyIf` ';
  if (result === undefined) return { text: `${name}decided by ${text}`, ...facts };
  // The record shows other data than the node had, so its values explain nothing.
  if (isContradicted)
    return { text: `${name}gave ${isTrue}: ${read.expression}`, expression: read.expression, result };
  return { text: `${name}gave ${JSON.stringify(result)}: ${text}`, ...facts, result };
};

/** The result of a condition, by the output that delivered; null if that is unknown. */
const readCondition = (state: RecordedNode): boolean | null => {
  const { type } = state.record;
  if (type === 'filter') return hasDelivered(state, MAIN_OUTPUT);
  if (type !== 'if') return true; // an execution starts only if `onlyIf` is true
  const isFalse = hasDelivered(state, 'false');
  return hasDelivered(state, 'true') ?? (isFalse === null ? null : !isFalse);
};

/** @returns null if that is unknown, or the node has not ended */
const findDelivered = (state: RecordedNode): readonly string[] | null => {
  const { record, outputs, told } = state;
  if (isOpen(record)) return null;
  if (record.type === 'if' && record.status === 'succeeded') {
    const isTrue = readCondition(state);
    return isTrue === null ? null : [String(isTrue)];
  }
  const isUnknown = record.status === 'succeeded' && outputs === null && told.size === 0;
  return isUnknown ? null : deliveredOutputs(state);
};

const explainSwitch = (
  state: RecordedNode,
  { text, result }: RecordedExpression,
  facts: Omit<Reason, 'text'>,
): Reason => {
  const [output] = deliveredOutputs(state);
  const chosen = output === undefined ? 'chose an output' : `chose "${output}"`;
  return { text: `${chosen}: ${text}`, ...facts, ...(result === undefined ? {} : { result }) };
};

const toFacts = ({ expression, values, valuesOmitted }: Omit<RecordedExpression, 'text'>) => ({
  expression,
  ...(values.length === 0 ? {} : { values }),
  ...(valuesOmitted === 0 ? {} : { valuesOmitted }),
});

const explainWait = (record: NodeRecord, read: RecordedExpression): Reason | null => {
  const { status, startedAt, durationMs } = record;
  const facts = read.values.length === 0 ? {} : toFacts(read);
  if (!isOpen(record)) {
    const until = toIso(startedAt + durationMs);
    return status === 'succeeded' ? { text: `waited until ${until}`, until, ...facts } : null;
  }
  const until = toEnd(startedAt, read.result);
  if (until === null) return { text: `waits: ${read.text}`, ...facts };
  const by = read.values.length === 0 ? '' : `: ${read.text}`;
  return { text: `waits until ${until}${by}`, until, ...facts };
};

/** @param result - of `seconds` or `until` */
const toEnd = (startedAt: number, result: JsonValue | undefined): string | null => {
  const end = typeof result === 'number' ? startedAt + result * 1_000 : readInstant(String(result));
  return Math.abs(end) <= MAX_TIME ? toIso(end) : null;
};

/** The last time of ECMAScript. */
const MAX_TIME = 8.64e15;

const explainOpen = ({ record, node }: RecordedNode, callbacks: Known['callbacks']): Reason | null => {
  const { retry, attempts } = record;
  if (retry !== undefined) {
    const { name, message } = retry.failure;
    const until = toIso(retry.at);
    const attempt = attempts + 1;
    const { maxAttempts } = node?.settings?.retry ?? {};
    const of = maxAttempts === undefined ? '' : ` of ${maxAttempts}`;
    return {
      text: `waits until ${until} for attempt ${attempt}${of}, since attempt ${attempts} failed: ${name}: ${message}`,
      until,
      attempt,
      failure: retry.failure,
    };
  }
  const callback = callbacks.get(record.callbacks?.at(-1) ?? '');
  if (callback === undefined) return null;
  const { expiresAt, subject } = callback;
  const { title, askedBy } = subject?.question ?? {};
  const until = toIso(expiresAt);
  const asked = {
    ...(title === undefined ? {} : { title: redactText(title) }),
    ...(askedBy === undefined ? {} : { askedBy: redactText(askedBy) }),
  };
  const to = asked.title === undefined ? '' : ` to ${JSON.stringify(asked.title)}`;
  const by = asked.askedBy === undefined ? '' : `, asked by ${asked.askedBy}`;
  return { text: `waits until ${until} for an answer${to}${by}`, until, ...asked };
};
