import { spawn } from 'node:child_process';
import { projectEnvironment } from './run-command.ts';

/** The systems that the samples call. */
export interface StandIn {
  readonly origin: string;
  /** All that it has printed so far. */
  output(): string;
  stop(): void;
}

/** Starts the stand-in of a project, on a free port; ready when it has said where it is. */
export const startStandIn = (folder: string): Promise<StandIn> =>
  new Promise((resolve, reject) => {
    const child = spawn('node', ['local/samples/stand-in.ts'], {
      cwd: folder,
      env: projectEnvironment({ STAND_IN_PORT: '0' }),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.once('exit', (code) => reject(new Error(`the stand-in ended with ${code}:\n${output}`)));
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      const [, origin] = /up at (http:\S+)\. Ctrl/.exec(output) ?? [];
      if (origin !== undefined) resolve({ origin, output: () => output, stop: () => void child.kill() });
    });
  });
