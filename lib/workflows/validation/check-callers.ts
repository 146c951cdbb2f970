import { quote } from '../../shared/describe.ts';
import type { Problem } from '../definition/problem.ts';
import { WEBHOOK_TRIGGER } from '../definition/to-path-configs.ts';
import { type DraftGraph, type DraftNode, reachFrom, sourcesIn, targetsIn } from './draft-graph.ts';

/** The node type that answers a caller who waits for its answer. */
const RESPOND_TO_WEBHOOK = 'respondToWebhook';

/** How long a run may take whose caller waits for the result: the engine's limit. The gateway gives up after 30. */
export const CALLER_WAITS_SECONDS = 25;

/**
 * Whether callers who wait get their answer: nothing behind their trigger waits for longer than they do, and a node that
 * answers is only where a caller waits.
 * @param isWired false when connections are missing: what leads where is not known then
 */
export const checkCallers = (graph: DraftGraph, isWired: boolean): Problem[] => {
  const isKnown = isWired && graph.nodes.every(({ nodeType }) => nodeType !== null);
  return [...checkWaits(graph), ...(isKnown ? checkAnswers(graph) : checkAnswered(graph))];
};

const placeOfMode = ({ index }: DraftNode): string => `/nodes/${index}/parameters/responseMode`;

/** What `responseMode` may be; null stands for triggers of other types. */
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
    const seconds = waitSecondsOf(waiting);
    const reason = Number.isFinite(seconds)
      ? `waits ${seconds} seconds, and the caller ${CALLER_WAITS_SECONDS} at most`
      : 'waits for an answer from outside, which only a run in the background can';
    return [
      {
        path: placeOfMode(draft),
        message: `makes the caller wait for the result, but ${quote(waiting.node.id)} ${reason}: use onReceived`,
      },
    ];
  });
};

const waitSecondsOf = ({ nodeType, node, isDisabled }: DraftNode): number => {
  if (isDisabled) return 0;
  try {
    return Number(nodeType?.control?.waitSeconds?.(node.parameters) ?? 0);
  } catch {
    return 0; // a plugin's own fault with parameters that are not what they should be
  }
};

const isResponder = ({ node, isDisabled }: DraftNode): boolean =>
  node.type === RESPOND_TO_WEBHOOK && !isDisabled;

const unanswered = (draft: DraftNode): Problem => ({
  path: placeOfMode(draft),
  message: `responseNode needs a node of the type ${RESPOND_TO_WEBHOOK} behind it`,
});

/** All that can be said where it is not known what leads where. */
const checkAnswered = ({ nodes }: DraftGraph): Problem[] =>
  nodes.some((draft) => isResponder(draft) || draft.nodeType === null)
    ? []
    : nodes.filter((draft) => modeOf(draft) === 'responseNode').map(unanswered);

const checkAnswers = (graph: DraftGraph): Problem[] => {
  const { nodes } = graph;
  const responders = nodes.filter(isResponder);
  const triggers = nodes.filter(({ nodeType }) => nodeType?.kind === 'trigger');
  const waiting = triggers.filter((draft) => modeOf(draft) === 'responseNode');
  // One that can't be read may have been meant to wait.
  const unreadable = triggers.filter((draft) => !MODES.includes(modeOf(draft)));
  // What its body delivers goes to the node, not to the caller.
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
      ? 'it is in a body, which delivers to the node that runs it: answer behind that'
      : `a ${WEBHOOK_TRIGGER} that leads to it needs "responseMode": "responseNode"`;
    return [{ path: `/nodes/${idle.index}/type`, message: `answers nobody: ${reason}` }];
  }
  // One that nothing leads to was meant to answer, and is reported as that.
  return responders.every(({ index }) => fromAny.has(index))
    ? waiting.filter(({ index }) => !answered.has(index)).map(unanswered)
    : [];
};
