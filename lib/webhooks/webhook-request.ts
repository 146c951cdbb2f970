/** One HTTP request to a webhook, free of the gateway that it came through. */
export interface WebhookRequest {
  /** As it was sent: methods are case-sensitive (RFC 9110 §9.1). */
  readonly method: string;
  /** Any text; not checked yet. */
  readonly workflowId: string;
  /** The path inside the workflow, decoded once by the gateway; `/` or `/segment/…`. */
  readonly path: string;
  /** The whole path as requested: for the workflow's eyes, never for matching. */
  readonly requestPath: string;
  /** Without the question mark, still encoded. */
  readonly rawQueryString: string;
  /** Lower-case names; repeated headers are joined by the gateway. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body's bytes as they were sent; empty when there is none. Signatures are made over these. */
  readonly rawBody: Uint8Array;
  /** The peer that the gateway saw; never taken from `X-Forwarded-For`, which anybody can send. */
  readonly remoteAddress: string;
  /** When the gateway received it, in milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly requestId: string;
}
