import { isPlainObject } from '@hookloom/plugin-kit';
import { quote } from '../../../lib/shared/describe.ts';
import { CALLER_WAITS_SECONDS } from '../../../lib/workflows/definition/answering.ts';
import type { Problem } from '../../../lib/workflows/definition/problem.ts';
import { WEBHOOK_TRIGGER } from '../../../lib/workflows/definition/to-path-configs.ts';
import { type DraftGraph, type DraftNode, reachFrom, targetsIn } from '../graph/draft-graph.ts';

/** Checks that attempts, retries and waits fit into the time that a caller waits. */
export const checkWaitingTime = (graph: DraftGraph): Problem[] => {
  const limits = new Map<number, Limit>();
  for (const trigger of graph.nodes) {
    const seconds = waitingSeconds(trigger);
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
const waitingSeconds = ({ node, isDisabled }: DraftNode): number | null => {
  const { responseMode, continueAfterResponse, onTimeout, timeoutSeconds } = node.parameters;
  if (node.type !== WEBHOOK_TRIGGER || isDisabled) return null;
  if (responseMode !== 'lastNode' && responseMode !== 'responseNode') return null;
  if (continueAfterResponse === true || onTimeout === 'continue') return null;
  return Math.min(
    typeof timeoutSeconds === 'number' ? timeoutSeconds : CALLER_WAITS_SECONDS,
    CALLER_WAITS_SECONDS,
  );
};

const describeLimit = ({ trigger, seconds }: Limit): string =>
  `the caller waits at most ${seconds} seconds: give ${quote(trigger.node.id)} "onTimeout": "continue" or "responseMode": "onReceived"`;

const checkWait = ({ index, node, nodeType }: DraftNode, limit: Limit): Problem[] => {
  const seconds = readSeconds(() => nodeType?.control?.waitSeconds?.(node.parameters) ?? 0);
  if (Number.isNaN(seconds)) {
    const [key] = Object.keys(node.parameters);
    const path = `/nodes/${index}/parameters${key === undefined ? '' : `/${key}`}`;
    const message = `waits for a time known only at run time, and ${describeLimit(limit)}`;
    return [{ path, message, severity: 'warning' }];
  }
  // A longer wait is reported for every trigger.
  if (seconds <= limit.seconds || seconds > CALLER_WAITS_SECONDS) return [];
  const path = `/nodes/${limit.trigger.index}/parameters/responseMode`;
  const message = `makes the caller wait for the result, but ${quote(node.id)} waits ${seconds} seconds, and ${describeLimit(limit)}`;
  return [{ path, message, severity: 'warning' }];
};

const readSeconds = (read: () => number): number => {
  try {
    return read();
  } catch {
    return 0; // a plugin's function may throw for invalid parameters
  }
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
  const { maxAttempts = 1, intervalSeconds = 1, backoffRate = 2, maxDelaySeconds = 60 } = retry;
  const retries = Math.min(Number(maxAttempts) || 1, 20) - 1;
  const delays = Array.from({ length: retries }, (_, number) =>
    Math.min(Number(intervalSeconds) * Number(backoffRate) ** number, Number(maxDelaySeconds)),
  );
  return delays.reduce((sum, delay) => sum + delay, 0);
};
