/** What a process throws that is killed between two calls. */
class Killed extends Error {}

/** Calls of stores and of other systems, before each of which the process can be killed. */
export const aKillableProcess = () => {
  let callsLeft = Number.POSITIVE_INFINITY;

  /** Makes a call, unless the process is dead. */
  const call = async <Result>(make: () => Result): Promise<Awaited<Result>> => {
    if (callsLeft-- <= 0) throw new Killed('killed');
    return await make();
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
    /** Kills the process before the call after so many. @returns the number of calls that were made, when it lived */
    killAfter: async (calls: number, action: () => Promise<unknown>): Promise<number | null> => {
      callsLeft = calls;
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
