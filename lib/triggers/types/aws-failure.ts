import type { JsonObject } from '@hookloom/plugin-kit';

interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

/** The name and the message of AWS's error; null if the response is not an error. */
export const readFailure = ({
  status,
  body,
}: Answer): { readonly name: string; readonly message: string } | null => {
  if (status < 300) return null;
  const { __type, message = body.Message } = body;
  return {
    name: String(__type || status),
    message: typeof message === 'string' ? message : `status ${status}`,
  };
};

/** @throws Error with the name and the message of AWS's error, unless the name is one of the accepted ones */
export const requireSuccess = (what: string, answer: Answer, ...accepted: readonly string[]): void => {
  const failure = readFailure(answer);
  if (failure === null || accepted.includes(failure.name)) return;
  throw new Error(`${what} failed: ${failure.name}: ${failure.message}`);
};
