const MAX_LENGTH = 500;

/** What people are shown of an error that a plugin threw: its first line, bounded; never a stack. */
export const describeError = (thrown: unknown): string => {
  const [firstLine = ''] = messageOf(thrown).split('\n');
  return firstLine.length <= MAX_LENGTH ? firstLine : `${firstLine.slice(0, MAX_LENGTH - 1)}…`;
};

const messageOf = (thrown: unknown): string => {
  try {
    return thrown instanceof Error ? String(thrown.message || thrown.name) : String(thrown);
  } catch {
    return 'an error that can not be described';
  }
};
