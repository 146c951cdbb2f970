import type { Credential, CredentialStore } from '../credentials/credential.ts';
import { cacheVerified, verify } from '../credentials/verify.ts';
import type { ClaimPorts } from '../executions/deliveries/claim-delivery.ts';
import { createPrepareRun, createRunExecution } from '../executions/lifecycle/run-execution.ts';
import type { BackgroundPorts, Ports } from '../executions/ports.ts';
import { DEPTH_HEADER } from '../executions/record/call-depth.ts';
import { type Call, createHandler, type Handle } from '../http/create-handler.ts';
import { limitBody, readWebhookEvent } from '../http/read-webhook-event.ts';
import { createCache } from '../shared/cache.ts';
import { isAppError } from '../shared/errors.ts';
import { authenticate } from '../webhooks/authenticate.ts';
import type { LimitCallsToSelf } from '../webhooks/limits/limit-calls-to-self.ts';
import type { CatchRequest } from '../webhooks/listening/catch-request.ts';
import { findWebhook } from '../webhooks/matching/find-webhook.ts';
import { parsePlainBody } from '../webhooks/parse-plain-body.ts';
import { redactCredentialHeaders, redactHeaders } from '../webhooks/redact-credential-headers.ts';
import { toTriggerInput } from '../webhooks/request-scope.ts';
import { type Noting, type RecordRequest, requestOutcomes } from '../webhooks/requests/request-outcome.ts';
import { runWebhook } from '../webhooks/run-webhook.ts';
import {
  type Arrival,
  type OpenFeatures,
  type OpenStages,
  type ParsedBody,
  type Starting,
  withoutFeatures,
} from '../webhooks/webhook-feature.ts';
import type { PublishedWorkflow } from '../workflows/definition/workflow-store.ts';
import { createBodyParsers } from './body-parsers.ts';

export interface WebhookSettings {
  /** Maximum size of a body; Lambda's own limit is 6 MB. */
  readonly maxBodyBytes: number;
  /** Maximum nesting depth of a JSON body. */
  readonly maxBodyDepth: number;
  /** How long workflows and credentials are cached; 0 reads the store for every request. */
  readonly cacheTtlMs: number;
  readonly cacheEntries: number;
  /** How long a verified password is cached: its hash is slow by design. */
  readonly verifiedTtlMs: number;
  /** Time reserved for recording the end of an execution and responding. */
  readonly deadlineMarginMs: number;
  /** How long a repeated delivery counts as a duplicate. */
  readonly deduplicationWindowMs: number;
}

const VERIFIED_ENTRIES = 1_000;

const defaultWebhookSettings: WebhookSettings = {
  maxBodyBytes: 6 * 1024 * 1024,
  maxBodyDepth: 100,
  cacheTtlMs: 5_000,
  cacheEntries: 200,
  verifiedTtlMs: 60_000,
  deadlineMarginMs: 1_000,
  deduplicationWindowMs: 86_400_000,
};

interface WebhookFunctionParts extends BackgroundPorts, Pick<Ports, 'deliveries' | 'dispatcher'> {
  readonly credentials: CredentialStore;
  /** Opens the features of webhooks that have any. */
  readonly openFeatures: OpenFeatures;
  readonly recordRequest: RecordRequest;
  /** Catches the request that a trigger listens for, as a test. */
  readonly catchRequest: CatchRequest;
  /** Limits executions that other executions start. */
  readonly limitCallsToSelf: (
    ...headers: Parameters<LimitCallsToSelf>
  ) => Promise<ReturnType<LimitCallsToSelf>>;
  /** Returns the execution id for a request: see `claimDelivery`. */
  readonly idOfRequest?: NonNullable<ClaimPorts['idOfRequest']>;
  readonly settings?: Partial<WebhookSettings>;
}

/** The webhook function: runs the checks in order, each on the value that is used afterwards, then the execution. */
export const createWebhookFunction = (parts: WebhookFunctionParts) => {
  const { logger, services } = parts;
  const { clock, ids } = services;
  const settings = { ...defaultWebhookSettings, ...parts.settings };
  const { findWorkflow, ...authentication } = createLookups(parts, settings);
  const parsersOf = createBodyParsers(settings.maxBodyDepth);
  const inflate = async ({ request, addHeaders }: Arrival, { maxBodyBytes }: OpenStages) => {
    const { inflateBody } = await import('../webhooks/inflate-body.chunk.ts');
    return inflateBody(request, { limitBytes: Math.min(maxBodyBytes, settings.maxBodyBytes), addHeaders });
  };
  const run = createRunExecution({ ...parts, prepare: createPrepareRun(parts), clock, ids });
  const running = { ...parts, run, clock, ids, windowMs: settings.deduplicationWindowMs };

  const handle: Handle<Call & Noting> = async ({ event, context, addLogFields, addHeaders, note }) => {
    limitBody(event, settings.maxBodyBytes);
    const request = readWebhookEvent(event, clock.now());
    note({ request });
    const webhook = await findWebhook(request, findWorkflow);
    addLogFields({ workflowId: webhook.workflow.definition.id, path: webhook.config.path });
    note({ webhook });
    const takeCall =
      request.headers[DEPTH_HEADER] === undefined ? null : await parts.limitCallsToSelf(request.headers);
    const features = webhook.config.features ? await parts.openFeatures(webhook) : withoutFeatures;
    const { secretHeaders } = features;
    note({ secretHeaders });
    const arrival = { request, webhook, addHeaders };
    const refused = await features.admit(arrival);
    if (refused !== null) return refused;
    if (webhook.refusal !== undefined) throw webhook.refusal;
    const { headers: sent, secretId } = await authenticate(request.headers, webhook.config, authentication);
    const headers = secretHeaders.length === 0 ? sent : redactHeaders(sent, secretHeaders);
    const handshake = await features.verify({ ...arrival, secretId });
    if (handshake !== null) return handshake;
    const isPlain = request.headers['content-encoding'] === undefined;
    const content = isPlain ? request : await inflate(arrival, features);
    const parsers = parsersOf(features);
    const parsed: ParsedBody =
      (await features.parse({ ...arrival, content, parsers })) ?? (await parsePlainBody(content, parsers));
    const named = redactCredentialHeaders(headers, webhook.workflow.definition);
    const input = { ...toTriggerInput(arrival, named, parsed.body), ...parsed.more };
    const skipped = await features.judge({ ...arrival, input });
    if (skipped !== null) return skipped;
    if (webhook.workflow.listening !== undefined) {
      const isOfUpload = parsed.executionId !== undefined;
      const of = { request, webhook, secretHeaders, isOfUpload, note };
      const caught = await parts.catchRequest(of);
      if (caught !== null) return caught;
    }
    const start = async (executionId: string, how: Pick<Starting, 'isRepeatable' | 'isInline'>) => {
      await takeCall?.();
      return features.start({ ...arrival, input, executionId, ...how, held: null });
    };
    // Awaited here, as in what it calls: a returned promise costs three more turns of the queue.
    return await runWebhook(
      { ...arrival, ...parsed, secretId, headers, input, features, start, note },
      // The function's remaining time, without the margin.
      Math.max(
        0,
        (context.getRemainingTimeInMillis?.() ?? Number.POSITIVE_INFINITY) - settings.deadlineMarginMs,
      ),
      running,
    );
  };
  return createHandler({ logger, clock }, handle).use(requestOutcomes(parts.recordRequest));
};

/**
 * How long cached values are used while the store throttles or is unreachable: shorter for credentials, which may have
 * been revoked.
 */
const STALE_WORKFLOW_MS = 300_000;
const STALE_CREDENTIAL_MS = 60_000;

const isStoreOut = (error: unknown): boolean => isAppError(error, 'STORE_UNAVAILABLE');

/** The stores behind caches that live as long as the sandbox. */
const createLookups = (
  { workflows, credentials, services: { clock } }: WebhookFunctionParts,
  { cacheTtlMs, cacheEntries, verifiedTtlMs }: WebhookSettings,
) => {
  const bounds = { ttlMs: cacheTtlMs, maxEntries: cacheEntries, clock, random: Math.random };
  const staleFor = (maxAgeMs: number) => ({ maxAgeMs: Math.max(maxAgeMs, cacheTtlMs), mayPass: isStoreOut });
  const workflowCache = createCache<PublishedWorkflow | null>({
    ...bounds,
    stale: staleFor(STALE_WORKFLOW_MS),
  });
  const credentialCache = createCache<Credential | null>({ ...bounds, stale: staleFor(STALE_CREDENTIAL_MS) });
  const verified = createCache<string | null>({
    ttlMs: verifiedTtlMs,
    maxEntries: VERIFIED_ENTRIES,
    clock,
    keep: (secretId) => secretId !== null,
  });
  return {
    findWorkflow: (id: string) => workflowCache(id, () => workflows.find(id)),
    findCredential: (id: string) => credentialCache(id, () => credentials.find(id)),
    verify: cacheVerified(verify, verified),
  };
};
