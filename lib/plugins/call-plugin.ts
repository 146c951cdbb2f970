import type { Clock, Logger } from '@hookloom/plugin-kit';

/**
 * Runs a plugin's function with a deadline of `ms` milliseconds, at which its signal is aborted. A plugin that blocks
 * the thread can't be interrupted; the timeout of the Lambda function ends it. Time during which another plugin blocks
 * the thread does not count.
 * @throws Error at the deadline, and any error of `run`
 */
export const withinDeadline = async <Value>(
  clock: Clock,
  ms: number,
  run: (signal: AbortSignal) => Value | Promise<Value>,
): Promise<Value> => {
  const work = new AbortController();
  const timer = new AbortController();
  const startedAt = clock.now();
  const sleep = async (): Promise<void> => {
    await clock.sleep(ms, timer.signal);
    const lateMs = clock.now() - startedAt - ms;
    if (lateMs > 0) await clock.sleep(Math.min(lateMs, ms), timer.signal);
  };
  const deadline = sleep().then(() => {
    const error = new Error(`no result within ${ms} ms`);
    work.abort(error);
    throw error;
  });
  try {
    return await Promise.race([Promise.resolve().then(() => run(work.signal)), deadline]);
  } finally {
    timer.abort();
  }
};

/** How long is fair to the other plugins and requests, which wait in the meantime; milliseconds. */
const MAX_BLOCKING_MS = 500;

/**
 * Calls a plugin's function, and adds a warning if it blocks the thread, since nothing else can run until it returns,
 * and nothing can interrupt it.
 * @param what - subject of the warning, such as `its init`
 * @param warnings - where the warning is added
 */
export const noteBlocking = <Value>(
  clock: Clock,
  what: string,
  warnings: string[],
  call: () => Value,
): Value => {
  const startedAt = clock.now();
  const result = call();
  const blockedMs = clock.now() - startedAt;
  if (blockedMs > MAX_BLOCKING_MS) warnings.push(`${what} blocked the thread for ${blockedMs} ms`);
  return result;
};

/** The logger of a plugin. It sets the field `plugin` in every entry, overriding the plugin's own. */
export const pluginLogger = (logger: Logger, pluginId: string): Logger => ({
  debug: (message, fields) => logger.debug(message, { ...fields, plugin: pluginId }),
  info: (message, fields) => logger.info(message, { ...fields, plugin: pluginId }),
  warn: (message, fields) => logger.warn(message, { ...fields, plugin: pluginId }),
  error: (message, fields) => logger.error(message, { ...fields, plugin: pluginId }),
});

const MAX_LENGTH = 500;

/** A plugin's error for people to read: the first line of its message, limited in length, without a stack. */
export const describeError = (thrown: unknown): string => {
  const [firstLine = ''] = messageOfThrown(thrown)
    .trim()
    .split(/[\r\n]/);
  if (firstLine === '') return 'an error without a message';
  return firstLine.length <= MAX_LENGTH ? firstLine : `${firstLine.slice(0, MAX_LENGTH - 1)}…`;
};

const messageOfThrown = (thrown: unknown): string => {
  try {
    return thrown instanceof Error ? String(thrown.message || thrown.name) : String(thrown);
  } catch {
    return 'an error that cannot be described';
  }
};
