import type { NodeContext } from '../contract/node.ts';
import type { OutboundRequest } from '../contract/services.ts';

/** The client's timeout is later than the node's, so that the node's message is shown. */
const TIMEOUT_MARGIN_MS = 1_000;

/** What a node's requests take from the attempt: the remaining time and the credential. */
export const fromAttempt = ({
  remainingMs,
  signal,
  credential,
}: NodeContext): Pick<OutboundRequest, 'timeoutMs' | 'signal' | 'credential'> => ({
  timeoutMs: remainingMs() + TIMEOUT_MARGIN_MS,
  signal,
  ...(credential === null ? {} : { credential }),
});

/** The header that links a request to the trace of its execution (W3C Trace Context); empty without a trace. */
export const toTraceHeaders = ({ execution: { traceparent } }: NodeContext): Record<string, string> =>
  traceparent === undefined ? {} : { traceparent };
