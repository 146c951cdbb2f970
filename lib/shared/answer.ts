/** A response to a caller, independent of the gateway. */
export interface Answer {
  readonly status: number;
  /** Headers of the response, with lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body of the response; null if there is none. */
  readonly body: string | null;
  /** Whether the body is base64 of the bytes to send. */
  readonly isBase64?: boolean;
  /** Values of `Set-Cookie`: one header each (RFC 6265 §3). */
  readonly cookies?: readonly string[];
  /** The execution that the response concerns, for the log. */
  readonly executionId?: string;
}

/** The header with the id of the execution that a response concerns. */
export const EXECUTION_ID_HEADER = 'hookloom-execution-id';

/** A JSON response, with the type of its body, so that it can be checked against what a route declares. */
export interface JsonAnswer<Status extends number, Body> extends Answer {
  readonly status: Status;
  /** Never set: carries the type. */
  readonly json?: Body;
}

/** A JSON response that must not be cached: it shows the current state. */
export const answerJson = <const Status extends number, const Body>(
  status: Status,
  value: Body,
): JsonAnswer<Status, Body> => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify(value),
});
