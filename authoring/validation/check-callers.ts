import { quote } from '../../lib/shared/describe.ts';
import { CALLER_WAITS_SECONDS } from '../../lib/workflows/definition/answering.ts';
import type { Problem } from '../../lib/workflows/definition/problem.ts';
import { WEBHOOK_TRIGGER } from '../../lib/workflows/definition/to-path-configs.ts';
import { type DraftGraph, type DraftNode, reachFrom, sourcesIn, targetsIn } from './graph/draft-graph.ts';

/** The node type that answers webhooks with the response mode `responseNode`. */
const RESPOND_TO_WEBHOOK = 'respondToWebhook';

/**
 * Checks the responses to waiting callers: no node after their trigger waits longer than they do, and responders are
 * reached only in the response mode `responseNode`.
 * @param hasValidConnections - false when connections can't be read, so the paths are unknown
 */
export const checkCallers = (graph: DraftGraph, hasValidConnections: boolean): Problem[] => {
  const isKnown = hasValidConnections && graph.nodes.every(({ nodeType }) => nodeType !== null);
  return [...checkWaits(graph), ...(isKnown ? checkAnswers(graph) : checkAnswered(graph))];
};

const placeOfMode = ({ index }: DraftNode): string => `/nodes/${index}/parameters/responseMode`;

/** Values of `responseMode`; null for triggers of other types. */
const MODES: readonly unknown[] = ['onReceived', 'lastNode', 'responseNode', null];

const modeOf = ({ node }: DraftNode): unknown =>
  node.type === WEBHOOK_TRIGGER ? (node.parameters.responseMode ?? 'onReceived') : null;

const checkWaits = (graph: DraftGraph): Problem[] => {
  const waitingFor = new Map<number, DraftNode>();
  for (const draft of graph.nodes) {
    if (waitSecondsOf(draft) <= CALLER_WAITS_SECONDS) continue;
    const before = reachFrom([draft.index], (at) => sourcesIn(graph)(at).filter((to) => !waitingFor.has(to)));
    for (const index of before) if (!waitingFor.has(index)) waitingFor.set(index, draft);
  }
  return graph.nodes.flatMap((draft) => {
    const mode = modeOf(draft);
    const waiting = waitingFor.get(draft.index);
    if (waiting === undefined || (mode !== 'lastNode' && mode !== 'responseNode')) return [];
    if (goesOn(draft)) return [];
    const seconds = waitSecondsOf(waiting);
    const reason = Number.isFinite(seconds)
      ? `waits ${seconds} seconds, but the caller at most ${CALLER_WAITS_SECONDS}`
      : 'waits for an outside answer, which only a background run can do';
    return [
      {
        path: placeOfMode(draft),
        message: `makes the caller wait for the result, but ${quote(waiting.node.id)} ${reason}: use onReceived or "onTimeout": "continue"`,
      },
    ];
  });
};

/** Whether it is a background run, which continues after its caller is answered. */
const goesOn = ({ node: { parameters } }: DraftNode): boolean =>
  parameters.continueAfterResponse === true || parameters.onTimeout === 'continue';

const waitSecondsOf = ({ nodeType, node, isDisabled }: DraftNode): number => {
  if (isDisabled) return 0;
  try {
    return Number(nodeType?.control?.waitSeconds?.(node.parameters) ?? 0) || 0;
  } catch {
    return 0; // a plugin's function may throw for invalid parameters
  }
};

const isResponder = ({ node, isDisabled }: DraftNode): boolean =>
  node.type === RESPOND_TO_WEBHOOK && !isDisabled;

const unanswered = (draft: DraftNode): Problem => ({
  path: placeOfMode(draft),
  message: `responseNode needs a ${RESPOND_TO_WEBHOOK} node after the trigger`,
});

/** The check without known paths: a responder anywhere will do. */
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
