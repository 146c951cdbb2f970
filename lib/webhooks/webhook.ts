import type { JsonObject } from '@hookloom/plugin-kit';
import type { ExecutionResult } from '../engine/result.ts';
import type { AppError } from '../shared/errors.ts';
import type { PathConfig } from '../workflows/definition/path-config.ts';
import type { PublishedWorkflow } from '../workflows/definition/workflow-store.ts';

/** The reason for refusing a request that matches no workflow: see `Refusal`. */
export const NO_WORKFLOW = 'workflow: no workflow has this id';

/** A published workflow, with the path config of the trigger that a request fires. */
export interface Webhook {
  readonly workflow: PublishedWorkflow;
  readonly config: PathConfig;
  /** Values of the path's parameters; absent for a literal path. */
  readonly pathParams?: JsonObject;
  /**
   * The error to answer with if no feature answers a request that fires nothing. Such a request is a CORS preflight, or
   * its method is not one of the path's: either the handshake method, or any other if `cors` is on, which adds headers
   * to the error and throws it before other features see the request.
   */
  readonly refusal?: AppError;
  /** The workflow is disabled: a request can be caught, but starts nothing. */
  readonly isDisabled?: true;
}

/** An HTTP request to a webhook, independent of the gateway. */
export interface WebhookRequest {
  /** The method as sent, since methods are case-sensitive (RFC 9110 §9.1). */
  readonly method: string;
  /** The workflow id as requested: any text, not checked yet. */
  readonly workflowId: string;
  /** The path within the workflow, decoded once by the gateway: `/` or `/segment/…`. */
  readonly path: string;
  /** The full path as requested: input of the workflow, never used for matching. */
  readonly requestPath: string;
  /** The query without the question mark, still encoded. */
  readonly rawQueryString: string;
  /** Headers of the request, with lower-case names; the gateway joins repeated headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes as sent, over which signatures are computed; empty without a body. */
  readonly rawBody: Uint8Array;
  /** The peer that the gateway saw; never `X-Forwarded-For`, which any client can set. */
  readonly remoteAddress: string;
  /** When the gateway received the request, in milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly requestId: string;
}

/** What is known about a delivery, for its request record. */
export interface DeliveryNotes {
  /** Key of the delivery; null if it has none. */
  readonly key?: string | null;
  /** The execution that this request or an earlier delivery started. */
  readonly executionId?: string;
  readonly isDuplicate?: boolean;
  /** The request was caught as a test. */
  readonly isCaught?: true;
  /** The outcome of an execution that the request started and that ran inline. */
  readonly ended?: { readonly status: ExecutionResult['status']; readonly durationMs: number };
}

/**
 * The method that a CORS preflight requests; null for any other request.
 * https://fetch.spec.whatwg.org/#cors-preflight-request
 */
export const readPreflight = ({
  method,
  headers,
}: Pick<WebhookRequest, 'method' | 'headers'>): string | null =>
  method === 'OPTIONS' && headers.origin !== undefined
    ? (headers['access-control-request-method'] ?? null)
    : null;
