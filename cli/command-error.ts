/** 0: done. 1: refused, not found, or failed. 2: the command line itself is wrong. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A failure that is reported by its message alone, without a stack. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;
  constructor(message: string, exitCode: ExitCode = EXIT.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

export const usageError = (message: string): CommandError => new CommandError(message, EXIT.usage);

/** Users that a message names; of more, how many there are. */
const MAX_NAMED = 10;

/** @param users - what would fail without it, as `orders: the node "call"` @throws CommandError when there is any */
export const refuseUsed = (id: string, users: readonly string[]): void => {
  if (users.length === 0) return;
  const others = users.length > MAX_NAMED ? [`and ${users.length - MAX_NAMED} more`] : [];
  const lines = [...users.slice(0, MAX_NAMED), ...others].map((user) => `  ${user}`);
  throw new CommandError(
    [
      `${id} is in use, and was not removed. These name it:`,
      ...lines,
      'To remove it all the same: --force',
    ].join('\n'),
  );
};
