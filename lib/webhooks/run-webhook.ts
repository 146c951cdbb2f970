import type { Clock, JsonObject } from '@hookloom/plugin-kit';
import type { ExecutionResult } from '../engine/result.ts';
import {
  acceptDelivery,
  type ClaimedDelivery,
  type ClaimPorts,
  claimDelivery,
} from '../executions/deliveries/claim-delivery.ts';
import type { RunExecution } from '../executions/lifecycle/run-execution.ts';
import type { AcceptPorts, Ports } from '../executions/ports.ts';
import { BRIEF_DAYS } from '../executions/record/blob-store.ts';
import type { ExecutionRecord, Hold } from '../executions/record/execution-store.ts';
import type { Answer } from '../shared/answer.ts';
import { ALREADY_STARTED } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import { readTraceparent } from '../shared/traceparent.ts';
import type { PathConfig } from '../workflows/definition/path-config.ts';
import { answerAccepted, answerRun, DUPLICATE, readPreferences, withHeaders } from './answer-run.ts';
import { findDeliveryKey, readIdempotencyKey, toKeyInTrigger } from './delivery-key.ts';
import { readResult } from './read-result.ts';
import { findTrigger } from './request-scope.ts';
import type { DeliveryNotes, WebhookRequest } from './webhook.ts';
import type { AnswerStages, Arrival, ParsedBody, Starting } from './webhook-feature.ts';

/** A request that has passed all checks, with what its parsed body says about the delivery. */
interface CheckedRequest extends Required<Arrival>, Omit<ParsedBody, 'body' | 'more'> {
  /** Headers of the request, in which the credential that authenticated it is redacted. */
  readonly headers: WebhookRequest['headers'];
  /** The trigger's output, with other credentials redacted. */
  readonly input: JsonObject;
  readonly features: AnswerStages;
  /**
   * Called before an execution starts or is found to be started already: if it throws, nothing starts. Returns why the
   * execution is held, with `onReceived` only; null to dispatch it.
   */
  readonly start: (
    executionId: string,
    how: Pick<Starting, 'isRepeatable' | 'isInline'>,
  ) => Promise<Hold | null>;
  readonly note: (notes: DeliveryNotes) => void;
}

interface RunWebhookParts extends AcceptPorts, ClaimPorts, Pick<Ports, 'filesFor'> {
  /** Runs an execution in this process. */
  readonly run: RunExecution;
  readonly clock: Clock;
}

/** Once `note` has an execution, no error counts the request as refused. */
interface WebhookDelivery extends KnownDelivery, Pick<CheckedRequest, 'features' | 'note' | 'addHeaders'> {
  readonly config: PathConfig;
}

interface KnownDelivery extends ClaimedDelivery {
  /** The execution's record, null if there is none; absent if it was not read. */
  readonly known?: ExecutionRecord | null;
}

/**
 * Claims the delivery, starts its execution unless it is a duplicate, and answers at once or with the result.
 *
 * @param timeLimitMs - how long the caller can wait
 * @throws AppError, including `DELIVERY_KEY_REUSED` | `DISPATCH_REFUSED` | `STORE_UNAVAILABLE`, and whatever {@link
 *   answerRun} throws
 */
export const runWebhook = async (
  checked: CheckedRequest,
  timeLimitMs: number,
  parts: RunWebhookParts,
): Promise<Answer> => {
  const { isAsync, waitSeconds } = readPreferences(checked.headers.prefer);
  const { webhook, features, note, addHeaders } = checked;
  const { limitMs, isInBackground } = features.waiting;
  const isSynchronous = webhook.config.responseMode !== 'onReceived';
  const isInline = isSynchronous && !isAsync && !isInBackground;
  const how = { isInline, keepsResult: isSynchronous && !isInline, waits: isSynchronous && !isAsync };
  const claimed = await claimRequest(checked, how, parts);
  const delivery = { ...claimed, config: webhook.config, features, note, addHeaders };
  const { executionId } = delivery.execution;
  const held = await checked.start(executionId, { isRepeatable: delivery.isKeyed, isInline });
  if (!isSynchronous) return acceptAtOnce(delivery, held, parts);
  const wantedMs = isAsync ? (waitSeconds ?? 0) * 1_000 : limitMs;
  const waitMs = Math.min(wantedMs, timeLimitMs);
  if (!isAsync)
    return await (isInBackground ? runBehind(delivery, waitMs, parts) : runInline(delivery, waitMs, parts));
  const preference =
    waitSeconds === null || waitMs < wantedMs ? 'respond-async' : `respond-async, wait=${waitSeconds}`;
  const answer = await runBehind(delivery, waitMs, parts);
  return withHeaders(answer, { 'preference-applied': preference });
};

/** @param waits - whether the caller waits for the result */
const claimRequest = async (
  checked: CheckedRequest,
  { isInline, keepsResult, waits }: Readonly<Record<'isInline' | 'keepsResult' | 'waits', boolean>>,
  parts: RunWebhookParts,
): Promise<KnownDelivery> => {
  const { request, webhook, headers, input, executionId, files, note } = checked;
  const { workflow, config } = webhook;
  const { rawBody, receivedAt, requestId, method, path, rawQueryString } = request;
  const trigger = findTrigger(webhook);
  const traceparent = headers.traceparent ? readTraceparent(headers.traceparent) : null;
  const unclaimed = { workflow, trigger, input, traceparent, keepsResult, requestId };
  if (executionId !== undefined) {
    // The execution record itself is the claim: it is written only once.
    const execution = { ...unclaimed, executionId };
    return { execution, receivedAt, isKeyed: true, isDuplicate: false };
  }
  const named = await findDeliveryKey(webhook, input, receivedAt);
  if (named === null && config.deduplication !== null) {
    const place = { workflowId: workflow.definition.id, path: config.path };
    parts.logger.warn('deduplication found no key: a repeated delivery would start another execution', place);
  }
  const found = named ?? checked.deliveryKey ?? null;
  note({ key: found });
  const key = found === null ? null : toKeyInTrigger(found, webhook);
  const address = key === null ? '' : JSON.stringify([method, path, rawQueryString]);
  const content = checked.deliveryContent ?? rawBody;
  const delivery = { execution: unclaimed, key, content, address, secretId: checked.secretId, receivedAt };
  const takesOther = config.features?.onKeyReuse === 'duplicate';
  const first = await claimDelivery(delivery, parts, takesOther);
  const keepsAnswer =
    key === null || !waits || first.isOther === true || readIdempotencyKey(headers) !== null;
  const claimed = keepsAnswer ? first : await orAgain(first, config, parts);
  if (files === undefined) return claimed;
  const { saveFiles } = await import('./save-files.chunk.ts');
  return saveFiles(claimed, files, isInline ? BRIEF_DAYS : null, parts);
};

/**
 * The claim of a delivery that its sender may repeat, or one for another run if its execution has failed.
 *
 * @throws AppError `ALREADY_STARTED` | `STORE_UNAVAILABLE`
 */
const orAgain = async (
  claimed: ClaimedDelivery,
  config: PathConfig,
  parts: RunWebhookParts,
): Promise<KnownDelivery> => {
  const known = await parts.executions.find(claimed.execution.executionId);
  const isTakenOver = known === null && claimed.claim?.retries !== undefined;
  if (!isTakenOver && known?.status !== 'failed') return { ...claimed, known };
  const { repeatFailed } = await import('./claim-again.chunk.ts');
  return repeatFailed({ ...claimed, known }, config, parts);
};

/**
 * Runs a webhook with the response mode `onReceived`: the execution is stored, and dispatched unless held, before the
 * caller gets an answer.
 */
const acceptAtOnce = async (
  delivery: WebhookDelivery,
  held: Hold | null,
  parts: RunWebhookParts,
): Promise<Answer> => {
  const { execution, receivedAt, config, features, note } = delivery;
  const accepted = toAccepted(delivery, await acceptDelivery(delivery, config.execution, parts, held));
  note({ executionId: execution.executionId, isDuplicate: accepted.isDuplicate });
  const { logger } = parts;
  return (
    (await features.acknowledge({ ...accepted, execution, receivedAt, logger })) ?? answerAccepted(accepted)
  );
};

/**
 * A background run: its result if ready in time, else 202. Once it is accepted, no infrastructure error may make it
 * look refused.
 */
const runBehind = async (
  delivery: WebhookDelivery,
  waitMs: number,
  parts: RunWebhookParts,
): Promise<Answer> => {
  const known = await acceptDelivery(delivery, delivery.config.execution, parts);
  const { executionId } = delivery.execution;
  delivery.note({ executionId, isDuplicate: delivery.isDuplicate || known !== null });
  const waited = waitMs > 0 ? await waitFor(delivery, waitMs, parts) : null;
  const { status, result } = waited ?? { result: null };
  if (result === null) {
    const accepted = toAccepted(delivery, known);
    return answerAccepted({ ...accepted, status: status ?? accepted.status });
  }
  if (known !== null) delivery.addHeaders(DUPLICATE);
  return answerResult(delivery, result, parts);
};

const waitFor = async ({ execution }: WebhookDelivery, waitMs: number, parts: RunWebhookParts) => {
  const { waitForResult } = await import('./wait-for-result.chunk.ts');
  return waitForResult(execution.executionId, waitMs, parts);
};

/** The result of an inline run; for a duplicate, the result of the first delivery. */
const runInline = async (
  delivery: WebhookDelivery,
  timeLimitMs: number,
  parts: RunWebhookParts,
): Promise<Answer> => {
  const { execution, isKeyed, known: read } = delivery;
  const { executionId } = execution;
  const known = read !== undefined || !isKeyed ? (read ?? null) : await parts.executions.find(executionId);
  if (known === null) {
    const startedAt = parts.clock.now();
    const result = await parts.run({ ...execution, keepsResult: isKeyed }, timeLimitMs);
    const ended = { status: result.status, durationMs: parts.clock.now() - startedAt };
    delivery.note({ executionId, isDuplicate: false, ended });
    return await answerResult(delivery, result, parts);
  }
  delivery.note({ executionId, isDuplicate: true });
  const result = await readResult(known, parts.blobs);
  if (result === null) throw new AppError(ALREADY_STARTED, { executionId });
  delivery.addHeaders(DUPLICATE);
  return answerResult(delivery, result, parts);
};

const answerResult = async (
  { execution: { executionId }, config: { responseMode }, features }: WebhookDelivery,
  result: ExecutionResult,
  { filesFor }: RunWebhookParts,
): Promise<Answer> => {
  const openFiles = () => filesFor({ executionId, retryOf: null })('answer', new AbortController().signal);
  const { response } = result;
  if (responseMode === 'responseNode' && response !== null && isSpecial(response)) {
    const { answerSpecially } = await import('./answer-specially.chunk.ts');
    return answerSpecially(executionId, { ...result, response }, openFiles);
  }
  const own = await features.present({ executionId, result, openFiles });
  return own ?? answerRun(executionId, result, responseMode);
};

/** Whether a response may set cookies or have a file as its body. */
const isSpecial = ({ setCookie, body }: JsonObject): boolean =>
  setCookie !== undefined || (typeof body === 'object' && body !== null && '$file' in body);

const toAccepted = ({ execution, isDuplicate }: ClaimedDelivery, record: ExecutionRecord | null) => ({
  executionId: execution.executionId,
  workflowId: execution.workflow.definition.id,
  status: record?.status ?? ('accepted' as const),
  isDuplicate: isDuplicate || record !== null,
});
