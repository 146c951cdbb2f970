/** Answer to a caller, independent of the gateway. */
export interface Answer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Null when there is none. */
  readonly body: string | null;
  /** Whether the body is base64, of bytes that are sent. */
  readonly isBase64?: boolean;
  /** Values of `Set-Cookie`: one header each (RFC 6265 §3). */
  readonly cookies?: readonly string[];
  /** The execution that it is about, for the log. */
  readonly executionId?: string;
}

/** Names the execution that an answer is about. */
export const EXECUTION_ID_HEADER = 'hookloom-execution-id';

/** An answer in JSON, not cached on its way: it is the state of now. */
export const answerJson = (status: number, value: unknown): Answer => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify(value),
});
