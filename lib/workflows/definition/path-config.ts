import type { BackgroundMode } from './definition.ts';

/** How the caller of a webhook is answered. */
export type ResponseMode = 'onReceived' | 'lastNode' | 'responseNode';

/** How callers are authenticated; the others than `none` take a credential. */
export const AUTHENTICATIONS = ['none', 'apiKey', 'basic'] as const;
export type Authentication = (typeof AUTHENTICATIONS)[number];

/** What one trigger of a workflow says of its webhook: derived from the definition, stored beside it. */
export interface PathConfig {
  /** With a leading slash and no trailing one, `/` for the workflow's own address. */
  readonly path: string;
  /** Upper case. */
  readonly method: string;
  readonly authentication: Authentication;
  /** Null only when `authentication` is `none`, or when the stored workflow is broken. */
  readonly credentialId: string | null;
  readonly responseMode: ResponseMode;
  readonly triggerNodeId: string;
  /** How runs that nobody waits for are done. */
  readonly execution: BackgroundMode;
  /**
   * Where a delivery's key is found when it has no `Idempotency-Key` header: a ready one such as `github`, or an
   * expression over the request; null for nowhere.
   */
  readonly deduplication: string | null;
}
