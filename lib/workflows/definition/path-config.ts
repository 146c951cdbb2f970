import type { JsonValue } from '@hookloom/plugin-kit';
import type { BackgroundMode } from './definition.ts';

/** When, and with which node's output, the caller of a webhook is answered. */
export type ResponseMode = 'onReceived' | 'lastNode' | 'responseNode';

/** How callers are authenticated; the others than `none` take a credential. */
export const AUTHENTICATIONS = ['none', 'apiKey', 'basic'] as const;
export type Authentication = (typeof AUTHENTICATIONS)[number];

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;

/** The webhook of one trigger, by one method: derived from the definition and stored with it. */
export interface PathConfig {
  /** With a leading slash and no trailing one; `/` for the root of the workflow. */
  readonly path: string;
  /** The path's segments when it has parameters, `:id` or `*rest`; absent for a literal path. */
  readonly pattern?: readonly string[];
  /** Upper case. */
  readonly method: string;
  readonly authentication: Authentication;
  /** Null only when `authentication` is `none` or the stored workflow is invalid. */
  readonly credentialId: string | null;
  readonly responseMode: ResponseMode;
  readonly triggerNodeId: string;
  /** How background runs are executed. */
  readonly execution: BackgroundMode;
  /**
   * Source of a delivery's key when it has no `Idempotency-Key` header: a sender such as `github`, or an expression over
   * the request; null for none.
   */
  readonly deduplication: string | null;
  /**
   * The trigger's other parameters: see `webhooks/features/`. Null for none; absent in path configs of earlier versions.
   */
  readonly features?: WebhookFeatures | null;
  /** A further method, for the handshake of `features` alone. Absent in path configs of earlier versions. */
  readonly handshakeMethod?: string | null;
}

/** The features of a webhook by their names: parameters of its trigger that are off while they are absent. */
export type WebhookFeatures = Readonly<Record<string, JsonValue>>;

/** The feature `concurrency`. */
export interface ConcurrencyRule {
  readonly max: number;
  /** `refuse` when absent. */
  readonly onLimit?: 'refuse' | 'cancelOldest' | 'queue';
  /** With `queue`: how many may wait; 1,000 when absent. */
  readonly maxQueued?: number;
}
