import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { Answer } from '../shared/answer.ts';

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
