/** An HTTP request to a webhook, independent of the gateway. */
export interface WebhookRequest {
  /** As sent: methods are case-sensitive (RFC 9110 §9.1). */
  readonly method: string;
  /** Any text; not checked yet. */
  readonly workflowId: string;
  /** The path within the workflow, decoded once by the gateway: `/` or `/segment/…`. */
  readonly path: string;
  /** The full path as requested: input of the workflow, never used for matching. */
  readonly requestPath: string;
  /** Without the question mark, still encoded. */
  readonly rawQueryString: string;
  /** Lower-case names; the gateway joins repeated headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes as sent, over which signatures are computed; empty without a body. */
  readonly rawBody: Uint8Array;
  /** The peer that the gateway saw; never `X-Forwarded-For`, which any client can set. */
  readonly remoteAddress: string;
  /** When the gateway received it, milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly requestId: string;
}
