import { AsyncLocalStorage } from 'node:async_hooks';

type Call = (...given: readonly unknown[]) => unknown;

/**
 * Wraps ports, so that a test can stop a task at a point in front of or behind one of their calls:
 * `executions.finish:before`, `executions.finish:after`. A port that is a function has the points `dispatch:before` and
 * `dispatch:after`. Each of `hold`, `fail` and `kill` applies to the next call that reaches the point.
 *
 * @param ports - by the names that their points begin with
 */
export const namePoints = <Ports extends Readonly<Record<string, object>>>(ports: Ports) => {
  const awaited = new Map<string, (() => Promise<void>)[]>();
  const tasks = new AsyncLocalStorage<{ isDead: boolean }>();
  const isDead = (): boolean => tasks.getStore()?.isDead === true;

  const atPoint = (point: string, act: () => Promise<void>): void => {
    const acts = awaited.get(point);
    if (acts === undefined)
      throw new Error(`there is no point "${point}"; known: ${[...awaited.keys()].join(', ')}`);
    acts.push(act);
  };

  const pass = async (point: string): Promise<void> => {
    await awaited.get(point)?.shift()?.();
    if (isDead()) await new Promise(() => {});
  };

  const wrap = (name: string, call: Call): Call => {
    const [before, after] = [`${name}:before`, `${name}:after`];
    awaited.set(before, []).set(after, []);
    const leave = async (result: unknown) => {
      const value = await result;
      await pass(after);
      return value;
    };
    return (...given) => {
      if (isDead() || awaited.get(before)?.length !== 0)
        return pass(before).then(() => leave(call(...given)));
      const result = call(...given);
      return result instanceof Promise ? leave(result) : result; // the others are iterated over
    };
  };

  const wrapPort = (name: string, port: object): unknown =>
    typeof port === 'function'
      ? wrap(name, port as Call)
      : Object.fromEntries(
          Object.entries(port).map(([method, call]) => [
            method,
            typeof call === 'function' ? wrap(`${name}.${method}`, call) : call,
          ]),
        );

  return {
    ports: Object.fromEntries(
      Object.entries(ports).map(([name, port]) => [name, wrapPort(name, port)]),
    ) as Ports,
    /** Holds a task until it is released. */
    hold: (point: string) => {
      const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      atPoint(point, () => {
        reached.resolve();
        return released.promise;
      });
      return { reached: reached.promise, release: released.resolve };
    },
    /** Fails a call: in front of it, nothing was done; behind it, its answer is lost. */
    fail: (point: string, error: Error) => atPoint(point, () => Promise.reject(error)),
    /** Ends a task as the end of its process does: none of its calls is made any more. */
    kill: (point: string) => {
      const reached = Promise.withResolvers<void>();
      atPoint(point, () => {
        const task = tasks.getStore();
        if (task !== undefined) task.isDead = true;
        reached.resolve();
        return new Promise(() => {});
      });
      return { reached: reached.promise };
    },
    /** Begins a task: `kill` ends all that it does, at the same time too; outside of tasks, only the call's own sequence. */
    task: <Value>(work: () => Promise<Value>): Promise<Value> => tasks.run({ isDead: false }, work),
  };
};
