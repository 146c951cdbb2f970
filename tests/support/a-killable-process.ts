/** What a process throws that is killed between two calls. */
class Killed extends Error {}

/** Calls of stores and of other systems, before each of which the process can be killed. */
export const aKillableProcess = () => {
  let callsLeft = Number.POSITIVE_INFINITY;
  let losesAnswer = false;

  /** Makes a call, unless the process is dead. */
  const call = async <Result>(make: () => Result): Promise<Awaited<Result>> => {
    const dies = callsLeft-- <= 0;
    if (dies && (!losesAnswer || callsLeft < -1)) throw new Killed('killed');
    const result = await make();
    if (dies) throw new Killed('killed');
    return result;
  };

  return {
    call,
    /** A store each of whose calls is one of the process. */
    eachCall: <Store extends object>(store: Store): Store =>
      Object.fromEntries(
        Object.entries(store).map(([name, method]) => [
          name,
          (...args: unknown[]) => call(() => (method as (...given: unknown[]) => unknown)(...args)),
        ]),
      ) as Store,
    /**
     * Kills the process before the call after so many, or after it, before its answer arrives.
     * @returns the number of calls that were made, when it lived
     */
    killAfter: async (
      calls: number,
      action: () => Promise<unknown>,
      before: 'call' | 'answer' = 'call',
    ): Promise<number | null> => {
      callsLeft = calls;
      losesAnswer = before === 'answer';
      const outcome = await action().then(
        () => calls - callsLeft,
        () => null,
      );
      const died = callsLeft < 0;
      callsLeft = Number.POSITIVE_INFINITY;
      return died ? null : outcome;
    },
  };
};
