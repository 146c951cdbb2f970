import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectFolder } from '../../cli/local/project-folder.ts';
import { copyProject as copyProjectTo } from '../../local/stage/package-stage.ts';

/** A copy of the project, to be edited and started. */
export interface ProjectCopy {
  write(file: string, text: string): void;
  /** Starts the copy with `npm start`, on a free port. */
  start(): Promise<StartedCopy>;
  remove(): void;
}

export interface StartedCopy {
  readonly baseUrl: string;
  /** How long the copy takes from the command to the startup message, in milliseconds. */
  readonly startMs: number;
  /** Returns everything that the copy has printed. */
  output(): string;
  stop(): Promise<void>;
}

export const copyProject = (): ProjectCopy => {
  const folder = mkdtempSync(join(tmpdir(), 'hookloom-bench-'));
  copyProjectTo(projectFolder(), folder);
  return {
    write: (file, text) => writeFileSync(join(folder, file), text),
    start: () => start(folder),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
};

const start = async (folder: string): Promise<StartedCopy> => {
  const startedAt = performance.now();
  const child = spawn('npm', ['start', '--silent'], {
    cwd: folder,
    env: { ...process.env, PORT: '0', LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true, // a process group, which SIGINT ends as Ctrl+C does
  });
  let output = '';
  const up = Promise.withResolvers<void>();
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
    if (output.includes('Press Ctrl+C to stop')) up.resolve();
  });
  child.once('exit', (code) => up.reject(new Error(`exited with ${code}:\n${output}`)));
  await up.promise;
  return {
    baseUrl: /running at (http:\S+?),/.exec(output)?.[1] ?? '',
    startMs: performance.now() - startedAt,
    output: () => output,
    stop: () => stop(child),
  };
};

const stop = async (child: ChildProcess): Promise<void> => {
  if (child.pid === undefined) return;
  const exit = once(child, 'exit');
  process.kill(-child.pid, 'SIGINT');
  await exit;
};
