const MAX_MESSAGE_LENGTH = 1_000;

/** What records and answers show of a failure, whatever was thrown: no stack, no cause, nothing endless. */
export const toFailure = (thrown: unknown): { readonly name: string; readonly message: string } => {
  if (!(thrown instanceof Error))
    return { name: 'Error', message: trim(`a node threw ${describeThrown(thrown)}`) };
  return { name: trim(String(thrown.name)), message: trim(String(thrown.message)) };
};

const describeThrown = (thrown: unknown): string => {
  if (typeof thrown === 'string') return `"${thrown}"`;
  if (typeof thrown !== 'object' || thrown === null) return String(thrown);
  const { message } = thrown as { readonly message?: unknown };
  return typeof message === 'string' ? message : 'an object that is no Error';
};

const trim = (text: string): string =>
  text.length <= MAX_MESSAGE_LENGTH ? text : `${text.slice(0, MAX_MESSAGE_LENGTH - 1)}…`;
