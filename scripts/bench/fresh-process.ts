import { spawnSync } from 'node:child_process';

/** CPU milliseconds of the stages of a start. */
export interface Start {
  /** Time that Node itself takes before the import. */
  readonly node: number;
  readonly import: number;
  readonly first: number;
  readonly second: number;
  /** One response, after {@link WARM_UP_ANSWERS}. */
  readonly warm: number;
}

const WARM_UP_ANSWERS = 1_000;

/**
 * Prints the CPU microseconds of importing a bundle and of its first two responses to an event, if there is one, then of the
 * requested number of warm responses.
 */
const SCRIPT = `
  const [file, event, warm] = process.argv.slice(1);
  const cpu = () => { const { user, system } = process.cpuUsage(); return user + system; };
  const times = [cpu()];
  const { handler } = require(file);
  times.push(cpu());
  (async () => {
    const answer = async () => {
      const { statusCode } = await handler(JSON.parse(event), {});
      if (statusCode !== 200) throw new Error('the answer is ' + statusCode);
    };
    for (let at = 0; at < 2 && event !== undefined; at++) {
      await answer();
      times.push(cpu());
    }
    for (const count of warm > 0 ? [${WARM_UP_ANSWERS}, warm] : []) {
      for (let at = 0; at < count; at++) await answer();
      times.push(cpu());
    }
    require('node:fs').writeSync(3, JSON.stringify(times));
    process.exit();
  })();`;

/** Far longer than any start: Node may hang in `process.exit` (https://github.com/nodejs/node/issues/54918). */
const TIME_LIMIT_MS = 30_000;
const TRIES = 3;

/**
 * Starts a bundle in a new process and measures its stages.
 * @param warmAnswers - how many warm responses to measure
 */
export const startFresh = (
  file: string,
  env: Readonly<Record<string, string>>,
  event?: string,
  warmAnswers = 0,
): Start => {
  const args = ['-e', SCRIPT, file, ...(event === undefined ? [] : [event, String(warmAnswers)])];
  const times: number[] = JSON.parse(runNode(args, env, TRIES));
  const [begin = 0, imported = 0, first = imported, second = first, warmedUp = second, last = warmedUp] =
    times;
  return {
    node: begin / 1e3,
    import: (imported - begin) / 1e3,
    first: (first - imported) / 1e3,
    second: (second - first) / 1e3,
    warm: (last - warmedUp) / 1e3 / Math.max(1, warmAnswers),
  };
};

/** @returns what the process writes to its third descriptor; its standard output is the log, which is discarded */
const runNode = (args: readonly string[], env: Readonly<Record<string, string>>, tries: number): string => {
  const { error, status, stderr, output } = spawnSync(process.execPath, args, {
    env: { ...process.env, ...env, LOG_LEVEL: 'info' }, // as deployed: a log line per request is part of the cost
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    timeout: TIME_LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ETIMEDOUT' && tries > 1)
    return runNode(args, env, tries - 1);
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`a start ended with ${status}: ${stderr}`);
  return output[3] ?? '';
};
