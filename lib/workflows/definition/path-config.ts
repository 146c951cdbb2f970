import type { JsonValue } from '@hookloom/plugin-kit';
import type { BackgroundMode } from './definition.ts';

/** When the caller of a webhook is answered, and with which node's output. */
export type ResponseMode = 'onReceived' | 'lastNode' | 'responseNode';

/** The engine's limit for a run with a waiting caller; the gateway's is 30 seconds. */
export const CALLER_WAITS_SECONDS = 25;

/** How callers are authenticated; all but `none` need a credential. */
export const AUTHENTICATIONS = ['none', 'apiKey', 'basic'] as const;
export type Authentication = (typeof AUTHENTICATIONS)[number];

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;

/** The webhook of one trigger for one method, derived from the definition and stored with it. */
export interface PathConfig {
  /** The path, with a leading slash and no trailing slash; `/` is the root of the workflow. */
  readonly path: string;
  /** The path's segments if it has parameters, `:id` or `*rest`; absent for a literal path. */
  readonly pattern?: readonly string[];
  /** HTTP method in upper case. */
  readonly method: string;
  readonly authentication: Authentication;
  /** The credential of the callers; null only if `authentication` is `none` or the stored workflow is invalid. */
  readonly credentialId: string | null;
  readonly responseMode: ResponseMode;
  readonly triggerNodeId: string;
  /** How background runs are executed. */
  readonly execution: BackgroundMode;
  /**
   * Where a delivery's key comes from if it has no `Idempotency-Key` header: a sender such as `github`, or an
   * expression over the request; null for none.
   */
  readonly deduplication: string | null;
  /**
   * The trigger's other parameters: see `webhooks/features/`. Null for none; absent in path configs of earlier versions.
   */
  readonly features?: WebhookFeatures | null;
  /** Another method, used only by the handshake of `features`. Absent in path configs of earlier versions. */
  readonly handshakeMethod?: string | null;
}

/** The features of a webhook by name: parameters of its trigger, each of which is off if absent. */
export type WebhookFeatures = Readonly<Record<string, JsonValue>>;

export interface ConcurrencyRule {
  readonly max: number;
  /** What happens at the limit; `refuse` by default. */
  readonly onLimit?: 'refuse' | 'cancelOldest' | 'queue';
  /** How many executions may wait, with `queue`; 1,000 by default. */
  readonly maxQueued?: number;
}
