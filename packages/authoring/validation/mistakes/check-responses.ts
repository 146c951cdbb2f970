import { ERROR_OUTPUT } from '@hookloom/plugin-kit';
import { quote } from '../../../../lib/shared/describe.ts';
import { CALLER_WAITS_SECONDS } from '../../../../lib/workflows/definition/path-config.ts';
import type { Problem } from '../../../../lib/workflows/definition/problem.ts';
import { WEBHOOK_TRIGGER } from '../../../../lib/workflows/definition/to-path-configs.ts';
import {
  type DraftEdge,
  type DraftGraph,
  type DraftNode,
  edgesFrom,
  outputsBesideBody,
  reachFrom,
  sourcesIn,
  targetsIn,
} from '../graph/draft-graph.ts';
import { proposeAdditions } from '../proposals/proposal.ts';
import { describeWait, isResponder, placeOfMode, waitSecondsOf } from './check-callers.ts';

/**
 * Checks when callers get the response of a `respondToWebhook` node: what delays it, what comes too early for it, and
 * which responses are never sent.
 *
 * @param isConnected - whether both ends of every connection exist, so that the paths are known
 */
export const checkResponses = (graph: DraftGraph, isConnected: boolean): Problem[] => {
  const triggers = graph.nodes.filter(
    ({ node, isDisabled }) =>
      node.type === WEBHOOK_TRIGGER && node.parameters.responseMode === 'responseNode' && !isDisabled,
  );
  const isKnown = isConnected && graph.nodes.every(({ nodeType }) => nodeType !== null);
  return [
    ...triggers.flatMap((trigger) => checkTimeout(graph, trigger)),
    ...(isKnown ? triggers.flatMap((trigger) => checkDelay(graph, trigger)) : []),
    ...(isKnown ? checkLate(graph, triggers) : []),
    ...(isKnown && triggers.length > 0 ? checkRepeated(graph, triggers) : []),
  ];
};

const checkTimeout = ({ responses }: DraftGraph, { index, node }: DraftNode): Problem[] => {
  const { onTimeout, continueAfterResponse } = node.parameters;
  if (onTimeout !== 'fail' || !responses.isEarly(index)) return [];
  const byDefault =
    continueAfterResponse === true
      ? ''
      : ', the default here: remove it, or set continueAfterResponse to false';
  const message = `cannot be "fail" with continueAfterResponse${byDefault}: the run continues, and the caller gets 202`;
  return [{ path: `/nodes/${index}/parameters/onTimeout`, message }];
};

const checkDelay = ({ nodes, responses }: DraftGraph, trigger: DraftNode): Problem[] => {
  const { index, node } = trigger;
  const follower = nodes[responses.follower(index) ?? -1];
  if (follower === undefined || responses.isEarly(index)) return [];
  const { onTimeout, continueAfterResponse } = node.parameters;
  const place = `/nodes/${index}/parameters/continueAfterResponse`;
  const message = `the response waits for the end of the run, with ${quote(follower.node.id)}: "continueAfterResponse": true sends it as soon as respondToWebhook has run`;
  return [
    {
      path: continueAfterResponse === false ? place : placeOfMode(trigger),
      message,
      severity: 'warning',
      ...(onTimeout === 'fail' ? {} : proposeAdditions([[place, true]])),
    },
  ];
};

/** Finds waits before a response that the callers of early responses don't sit out. */
const checkLate = (graph: DraftGraph, triggers: readonly DraftNode[]): Problem[] => {
  const responders = new Set(graph.nodes.filter(isResponder).map(({ index }) => index));
  const sources = sourcesIn(graph, isForward);
  const leading = reachFrom([...responders], sources);
  const waitingFor = new Map<number, DraftNode>();
  for (const draft of graph.nodes) {
    if (!leading.has(draft.index) || draft.isDisabled || !(waitSecondsOf(draft) > CALLER_WAITS_SECONDS))
      continue;
    const before = (at: number) => sources(at).filter((to) => !waitingFor.has(to) && !responders.has(to));
    for (const index of reachFrom([draft.index], before))
      if (!waitingFor.has(index)) waitingFor.set(index, draft);
  }
  return triggers.flatMap((trigger) => {
    const waiting = waitingFor.get(trigger.index);
    if (waiting === undefined || !graph.responses.isEarly(trigger.index)) return [];
    if (trigger.node.parameters.onTimeout === 'continue') return [];
    const message = `the caller gets 202 instead of the response, since ${describeWait(waiting)}`;
    return [{ path: placeOfMode(trigger), message, severity: 'warning' }];
  });
};

const isForward = ({ isBody }: DraftEdge): boolean => !isBody;

/** Finds responses that only come when another one has been sent. */
const checkRepeated = (graph: DraftGraph, triggers: readonly DraftNode[]): Problem[] => {
  const reached = reachFrom(
    triggers.map(({ index }) => index),
    targetsIn(graph, isForward),
  );
  const responders = graph.nodes.filter((draft) => isResponder(draft) && reached.has(draft.index));
  const reasons = new Map([...findBeside(graph, reached), ...findBehind(graph, responders)]);
  return responders.flatMap(({ index }) => {
    const reason = reasons.get(index);
    const message = `${reason}: the caller gets only the first response`;
    return reason === undefined ? [] : [{ path: `/nodes/${index}`, message, severity: 'warning' }];
  });
};

/** Responders that run once another one has, or they themselves. */
const findBehind = (graph: DraftGraph, responders: readonly DraftNode[]): Map<number, string> => {
  const seen = new Set<number>();
  const reasons = new Map<number, string>();
  for (const { index, node } of responders) {
    // What follows a failure follows no response.
    const starts = targetsIn(graph, ({ isBody, output }) => !isBody && output !== ERROR_OUTPUT)(index);
    const next = (at: number) => targetsIn(graph, isForward)(at).filter((target) => !seen.has(target));
    for (const behind of reachFrom(
      starts.filter((start) => !seen.has(start)),
      next,
    )) {
      seen.add(behind);
      reasons.set(
        behind,
        behind === index ? 'is in a loop' : `can run after ${quote(node.id)} has responded`,
      );
    }
  }
  return reasons;
};

/** Responders on branches that begin at the same output without a condition, so that both run. */
const findBeside = (graph: DraftGraph, reached: ReadonlySet<number>): Map<number, string> => {
  const reasons = new Map<number, string>();
  const sure = findSure(graph);
  for (const index of reached) {
    const firsts = new Map<string, number>();
    for (const { output, target } of edgesFrom(graph, index).filter(isForward)) {
      const responder = sure.get(target);
      if (responder === undefined) continue;
      const first = firsts.get(output) ?? responder;
      firsts.set(output, first);
      const other = graph.nodes[first]?.node.id ?? '';
      if (first !== responder) reasons.set(responder, `always runs beside ${quote(other)}`);
    }
  }
  return reasons;
};

/** For each node that leads to a responder without a condition, the first such responder of the file. */
const findSure = (graph: DraftGraph): ReadonlyMap<number, number> => {
  const found = new Map<number, number>();
  const isSure = (edge: DraftEdge): boolean => {
    const source = graph.nodes[edge.source];
    const outputs = source === undefined ? null : outputsBesideBody(source);
    const isOnly = outputs?.size === 1 && outputs.has(edge.output);
    return (
      isForward(edge) && isOnly && (source?.isDisabled === true || source?.nodeType?.endsBranch !== true)
    );
  };
  for (const { index } of graph.nodes.filter(isResponder)) {
    const sources = (at: number) => sourcesIn(graph, isSure)(at).filter((source) => !found.has(source));
    for (const leading of reachFrom([index], sources)) if (!found.has(leading)) found.set(leading, index);
  }
  return found;
};
