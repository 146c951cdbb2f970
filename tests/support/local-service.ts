import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { JsonObject } from '@hookloom/plugin-kit';
import { projectEnvironment, projectRoot } from './run-command.ts';

export interface RunningService {
  readonly baseUrl: string;
  /** What it had printed when it was up. */
  readonly announcement: string;
  /** All that it has printed so far. */
  output(): string;
  /** Resolves when what it has printed matches, as often as `times` says; once when absent. */
  printed(pattern: RegExp, times?: number): Promise<void>;
  stop(): Promise<void>;
  /** Ends it and all that it has started, with no time to say anything. */
  kill(): Promise<void>;
}

/**
 * Starts the service on a free port; resolves when it has said where it is.
 * @param isByNpm - by `npm start`, as a user would; otherwise without npm, which takes half a second
 */
export const startLocalService = async ({
  cwd = projectRoot,
  args = [],
  env = {},
  isByNpm = false,
  program = 'packages/local/start.ts',
}: {
  cwd?: string;
  args?: readonly string[];
  env?: Record<string, string>;
  isByNpm?: boolean;
  /** What is started without npm. */
  program?: string;
} = {}): Promise<RunningService> => {
  const [command, ...first] = isByNpm ? ['npm', 'start', '--silent', '--'] : ['node', program];
  const child = spawn(command, [...first, ...args], {
    cwd,
    env: projectEnvironment({ PORT: '0', ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a process group of its own, so that stopping it stops what npm started
  });
  let output = '';
  const waiting = new Set<() => void>();
  const onOutput = (chunk: string) => {
    output += chunk;
    for (const check of waiting) check();
  };
  child.stdout.setEncoding('utf8').on('data', onOutput);
  child.stderr.setEncoding('utf8').on('data', onOutput);

  const printed = (pattern: RegExp, times = 1): Promise<void> =>
    new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        waiting.delete(check);
        child.off('exit', onExit);
        act();
      };
      const all = new RegExp(pattern, 'g');
      const check = () => (output.match(all)?.length ?? 0) >= times && settle(resolve);
      const onExit = () => settle(() => reject(new Error(`the service ended early:\n${output}`)));
      waiting.add(check);
      child.once('exit', onExit);
      check();
    });

  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    const exit = once(child, 'exit');
    process.kill(-child.pid, signal);
    await exit;
  };

  await printed(/Press Ctrl\+C to stop/);
  const baseUrl = /Hookloom is running at (http:\S+?),/.exec(output)?.[1] ?? '';
  return {
    baseUrl,
    announcement: output,
    output: () => output,
    printed,
    stop: () => end('SIGINT'),
    kill: () => end('SIGKILL'),
  };
};

/** Sends JSON to a service, and reads its JSON answer. */
export const sendJson = async (url: string, method = 'GET', body?: JsonObject): Promise<JsonObject> => {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return (await response.json()) as JsonObject;
};
