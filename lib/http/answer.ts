import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';

/** What goes back to a caller, free of the gateway that it goes through. */
export interface Answer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Null when there is none. */
  readonly body: string | null;
  /** For the log: the execution that it is about. */
  readonly executionId?: string;
}

/** Nobody between us and the caller is to keep it: it says what is true now. */
export const answerJson = (status: number, value: unknown): Answer => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify(value),
});

/** Lambda takes no answer of more than 6 MB from a function that is called synchronously. */
export const MAX_ANSWER_BYTES = 6 * 1024 * 1024;

/**
 * As API Gateway takes it (payload format 2.0). An answer to HEAD has no body, and no browser is to guess what
 * an answer is.
 */
export const toResult = (answer: Answer, method: string): APIGatewayProxyStructuredResultV2 => ({
  statusCode: answer.status,
  headers: { ...answer.headers, 'x-content-type-options': 'nosniff' },
  ...(answer.body === null || method === 'HEAD' ? {} : { body: answer.body }),
});
