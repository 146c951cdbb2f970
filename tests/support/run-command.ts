import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';

export const projectRoot = resolve(import.meta.dirname, '../..');

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The project's own binaries come first, as `npm run` and `npx` have it: there, `node` is the Node that Lambda runs. */
export const projectEnvironment = (extra: Record<string, string> = {}): NodeJS.ProcessEnv => {
  const { NODE_OPTIONS: _jestOptions, JEST_WORKER_ID: _worker, ...environment } = process.env;
  return {
    ...environment,
    PATH: `${join(projectRoot, 'node_modules/.bin')}:${environment.PATH}`,
    ...extra,
  };
};

/** Runs a command to its end. */
export const runCommand = (
  command: string,
  args: readonly string[],
  {
    cwd = projectRoot,
    env = {},
    stdin = '',
  }: { cwd?: string; env?: Record<string, string>; stdin?: string } = {},
): Promise<CommandResult> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: projectEnvironment(env), stdio: 'pipe' });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      stderr += chunk;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
    child.stdin.on('error', () => {}); // it may end without reading its input
    child.stdin.end(stdin);
  });

/** The command line in a process of its own; without npm, which takes as long to start again. */
export const runCli = (
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: Record<string, string>; readonly stdin?: string },
): Promise<CommandResult> => runCommand('node', ['packages/cli/main.ts', ...args], options);

/** `serverless invoke local` of a function, with its sample event. */
export const invokeLocal = (name: string, cwd: string): Promise<CommandResult> =>
  runCommand('serverless', ['invoke', 'local', '-f', name, '-p', `events/${name}.json`], { cwd });
