import { isPlainObject } from '@hookloom/plugin-kit';
import { quote } from '../../../../lib/shared/describe.ts';
import { CALLER_WAITS_SECONDS } from '../../../../lib/workflows/definition/path-config.ts';
import type { Problem } from '../../../../lib/workflows/definition/problem.ts';
import { RESPOND_TO_WEBHOOK } from '../../../../lib/workflows/definition/responses.ts';
import { WEBHOOK_TRIGGER } from '../../../../lib/workflows/definition/to-path-configs.ts';
import { type DraftGraph, type DraftNode, reachFrom, sourcesIn, targetsIn } from '../graph/draft-graph.ts';

/**
 * Checks the responses to waiting callers: no node after their trigger waits longer than they do, and responders are
 * reached only in the response mode `responseNode`.
 * @param hasValidConnections - false when connections can't be read, so the paths are unknown
 */
export const checkCallers = (graph: DraftGraph, hasValidConnections: boolean): Problem[] => {
  const isKnown = hasValidConnections && graph.nodes.every(({ nodeType }) => nodeType !== null);
  return [...checkWaits(graph), ...(isKnown ? checkAnswers(graph) : checkAnswered(graph))];
};

export const placeOfMode = ({ index }: DraftNode): string => `/nodes/${index}/parameters/responseMode`;

/** Values of `responseMode`; null for triggers of other types. */
const MODES: readonly unknown[] = ['onReceived', 'lastNode', 'responseNode', null];

const modeOf = ({ node }: DraftNode): unknown =>
  node.type === WEBHOOK_TRIGGER ? (node.parameters.responseMode ?? 'onReceived') : null;

const checkWaits = (graph: DraftGraph): Problem[] => {
  const waitingFor = new Map<number, DraftNode>();
  for (const draft of graph.nodes) {
    if (draft.isDisabled || !(waitSecondsOf(draft) > CALLER_WAITS_SECONDS)) continue;
    const before = reachFrom([draft.index], (at) => sourcesIn(graph)(at).filter((to) => !waitingFor.has(to)));
    for (const index of before) if (!waitingFor.has(index)) waitingFor.set(index, draft);
  }
  return graph.nodes.flatMap((draft) => {
    const waiting = waitingFor.get(draft.index);
    if (waiting === undefined || !waitsForRun(graph, draft)) return [];
    const reason = Number.isFinite(waitSecondsOf(waiting))
      ? `${describeWait(waiting)}, but the caller at most ${CALLER_WAITS_SECONDS}`
      : `${describeWait(waiting)}, which only a background run can do`;
    const message = `makes the caller wait for the result, but ${reason}: use onReceived or "onTimeout": "continue"`;
    return [{ path: placeOfMode(draft), message }];
  });
};

/** Whether the caller of a webhook waits for its run; a background run continues after its caller is answered. */
const waitsForRun = ({ responses }: DraftGraph, draft: DraftNode): boolean => {
  const mode = modeOf(draft);
  return (
    (mode === 'lastNode' || mode === 'responseNode') &&
    !responses.isEarly(draft.index) &&
    draft.node.parameters.onTimeout !== 'continue'
  );
};

export const describeWait = (draft: DraftNode): string => {
  const seconds = waitSecondsOf(draft);
  return `${quote(draft.node.id)} waits ${Number.isFinite(seconds) ? `${seconds} seconds` : 'for an outside answer'}`;
};

/** NaN for a time known only at run time. */
export const waitSecondsOf = ({ nodeType, node }: DraftNode): number => {
  try {
    return Number(nodeType?.control?.waitSeconds?.(node.parameters) ?? 0);
  } catch {
    return 0; // a plugin's function may throw for invalid parameters
  }
};

export const isResponder = ({ node, isDisabled }: DraftNode): boolean =>
  node.type === RESPOND_TO_WEBHOOK && !isDisabled;

const unanswered = (draft: DraftNode): Problem => ({
  path: placeOfMode(draft),
  message: `responseNode needs a ${RESPOND_TO_WEBHOOK} node after the trigger`,
});

/** The check if the paths are unknown: a responder anywhere is enough. */
const checkAnswered = ({ nodes }: DraftGraph): Problem[] =>
  nodes.some((draft) => isResponder(draft) || draft.nodeType === null)
    ? []
    : nodes.filter((draft) => modeOf(draft) === 'responseNode').map(unanswered);

const checkAnswers = (graph: DraftGraph): Problem[] => {
  const { nodes } = graph;
  const responders = nodes.filter(isResponder);
  const triggers = nodes.filter(({ nodeType }) => nodeType?.kind === 'trigger');
  const waiting = triggers.filter((draft) => modeOf(draft) === 'responseNode');
  // Invalid modes may be misspelt `responseNode`.
  const unreadable = triggers.filter((draft) => !MODES.includes(modeOf(draft)));
  // Without bodies, whose output goes to their node, not to the caller.
  const answered = reachFrom(
    responders.map(({ index }) => index),
    sourcesIn(graph, ({ isBody }) => !isBody),
  );
  const behind = (starts: readonly DraftNode[], withBodies: boolean) =>
    reachFrom(
      starts.map(({ index }) => index),
      targetsIn(graph, ({ isBody }) => withBodies || !isBody),
    );
  const fromAny = behind(triggers, true);
  const fromWaiting = behind(waiting, true);
  const answering = behind([...waiting, ...unreadable], false);

  const idle = responders.find(({ index }) => fromAny.has(index) && !answering.has(index));
  if (idle !== undefined) {
    const reason = fromWaiting.has(idle.index)
      ? 'it is in a body, whose output goes to the node that runs it: respond after that node'
      : `a ${WEBHOOK_TRIGGER} that leads to it needs "responseMode": "responseNode"`;
    return [{ path: `/nodes/${idle.index}/type`, message: `answers no caller: ${reason}` }];
  }
  // A responder that can't be reached is reported by checkReach.
  return responders.every(({ index }) => fromAny.has(index))
    ? waiting.filter(({ index }) => !answered.has(index)).map(unanswered)
    : [];
};

/** Checks that attempts, retries and waits fit into the time that a caller waits. */
export const checkWaitingTime = (graph: DraftGraph): Problem[] => {
  const limits = new Map<number, Limit>();
  for (const trigger of graph.nodes) {
    const seconds = waitingSeconds(graph, trigger);
    if (seconds === null) continue;
    for (const index of reachFrom([trigger.index], targetsIn(graph))) {
      const { seconds: before = Number.POSITIVE_INFINITY } = limits.get(index) ?? {};
      if (seconds < before) limits.set(index, { trigger, seconds });
    }
  }
  return [...limits].flatMap(([index, limit]) => {
    const draft = graph.nodes[index];
    if (draft === undefined || draft.isDisabled || draft.nodeType?.kind !== 'action') return [];
    return [...checkWait(draft, limit), ...checkAttempts(draft, limit)];
  });
};

interface Limit {
  readonly trigger: DraftNode;
  readonly seconds: number;
}

/** How long the caller of a webhook waits for its run; null when it does not wait, or the run continues after the response. */
const waitingSeconds = (graph: DraftGraph, trigger: DraftNode): number | null => {
  if (trigger.isDisabled || !waitsForRun(graph, trigger)) return null;
  const { timeoutSeconds } = trigger.node.parameters;
  return Math.min(
    typeof timeoutSeconds === 'number' ? timeoutSeconds : CALLER_WAITS_SECONDS,
    CALLER_WAITS_SECONDS,
  );
};

const describeLimit = ({ trigger, seconds }: Limit): string =>
  `the caller waits at most ${seconds} seconds: give ${quote(trigger.node.id)} "onTimeout": "continue" or "responseMode": "onReceived"`;

const checkWait = (draft: DraftNode, limit: Limit): Problem[] => {
  const { index, node } = draft;
  const seconds = waitSecondsOf(draft);
  if (Number.isNaN(seconds)) {
    const [key] = Object.keys(node.parameters);
    const path = `/nodes/${index}/parameters${key === undefined ? '' : `/${key}`}`;
    const message = `waits for a time known only at run time, and ${describeLimit(limit)}`;
    return [{ path, message, severity: 'warning' }];
  }
  // A longer wait is reported for every trigger.
  if (seconds <= limit.seconds || seconds > CALLER_WAITS_SECONDS) return [];
  const path = placeOfMode(limit.trigger);
  const message = `makes the caller wait for the result, but ${quote(node.id)} waits ${seconds} seconds, and ${describeLimit(limit)}`;
  return [{ path, message, severity: 'warning' }];
};

const checkAttempts = ({ index, node }: DraftNode, limit: Limit): Problem[] => {
  const settings: Readonly<Record<string, unknown>> = isPlainObject(node.settings) ? node.settings : {};
  const path = `/nodes/${index}/settings`;
  const problems: Problem[] = [];
  const { timeoutSeconds, retry } = settings;
  if (typeof timeoutSeconds === 'number' && timeoutSeconds > limit.seconds) {
    const message = `is never reached: ${describeLimit(limit)}`;
    problems.push({ path: `${path}/timeoutSeconds`, message, severity: 'warning' });
  }
  const delays = isPlainObject(retry) ? sumOfDelays(retry) : 0;
  if (delays > limit.seconds) {
    const message = `adds up to ${Math.round(delays)} seconds of delays, and ${describeLimit(limit)}`;
    problems.push({ path: `${path}/retry`, message, severity: 'warning' });
  }
  return problems;
};

/** The delays before the last attempt, in seconds. */
const sumOfDelays = (retry: Readonly<Record<string, unknown>>): number => {
  // An object may have no number.
  const read = (key: string, initial: number): number =>
    typeof retry[key] === 'object' ? initial : Number(retry[key] ?? initial);
  const interval = read('intervalSeconds', 1);
  const [rate, longest] = [read('backoffRate', 2), read('maxDelaySeconds', 60)];
  const retries = Math.min(read('maxAttempts', 1) || 1, 20) - 1;
  const delays = Array.from({ length: retries }, (_, number) => Math.min(interval * rate ** number, longest));
  return delays.reduce((sum, delay) => sum + delay, 0);
};
