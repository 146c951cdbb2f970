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
   * What the trigger asks for beside all this, by the name of the parameter: see `webhook-rules/`. Null for nothing; absent in
   * path configs of earlier versions.
   */
  readonly features?: WebhookFeatures | null;
  /** A further method, for the handshake of `features` alone. Absent in path configs of earlier versions. */
  readonly handshakeMethod?: string | null;
}

/** Parameters of a webhook trigger that are off while they are absent. */
export const WEBHOOK_FEATURES = [
  'cors',
  'body',
  'paused',
  'allowFrom',
  'signature',
  'handshake',
  'answer',
  'lastNodeAnswer',
  'timeoutSeconds',
  'onTimeout',
  'continueAfterResponse',
  'maxBodyBytes',
  'form',
  'rateLimit',
  'schema',
  'onlyIf',
  'onKeyReuse',
  'concurrency',
  'recordRequests',
  'upload',
] as const;
export type WebhookFeatures = Readonly<Partial<Record<(typeof WEBHOOK_FEATURES)[number], JsonValue>>>;
