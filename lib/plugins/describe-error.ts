const MAX_LENGTH = 500;

/** A plugin's error for people to read: the first line of its message, limited in length, without a stack. */
export const describeError = (thrown: unknown): string => {
  const [firstLine = ''] = messageOf(thrown)
    .trim()
    .split(/[\r\n]/);
  if (firstLine === '') return 'an error without a message';
  return firstLine.length <= MAX_LENGTH ? firstLine : `${firstLine.slice(0, MAX_LENGTH - 1)}…`;
};

const messageOf = (thrown: unknown): string => {
  try {
    return thrown instanceof Error ? String(thrown.message || thrown.name) : String(thrown);
  } catch {
    return 'an error that cannot be described';
  }
};
