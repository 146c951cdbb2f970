import { spawn } from 'node:child_process';
import { afterAll, beforeAll } from '@jest/globals';
import { projectEnvironment, projectRoot } from './run-command.ts';

/** The systems that the samples call. */
export interface StandIn {
  readonly origin: string;
  readonly port: number;
  /** Of its mail server. */
  readonly mailPort: number;
  /** All that it has printed so far. */
  output(): string;
}

/** One for all tests of a file, on free ports. */
export const useStandIn = (): StandIn => {
  let standIn: StandIn & { stop(): void };
  beforeAll(async () => {
    standIn = await start();
  });
  afterAll(() => standIn?.stop());
  return {
    get origin() {
      return standIn.origin;
    },
    get port() {
      return standIn.port;
    },
    get mailPort() {
      return standIn.mailPort;
    },
    output: () => standIn.output(),
  };
};

/** Ready when it has said where it is. */
const start = (): Promise<StandIn & { stop(): void }> =>
  new Promise((resolve, reject) => {
    const child = spawn('node', ['packages/local/samples/stand-in.ts'], {
      cwd: projectRoot,
      env: projectEnvironment({ STAND_IN_PORT: '0', STAND_IN_MAIL_PORT: '0' }),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.once('exit', (code) => reject(new Error(`the stand-in ended with ${code}:\n${output}`)));
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      const [, origin, port, mailPort] =
        /running at (http:[^,]+:(\d+)), for mail at \S+:(\d+)\. Press/.exec(output) ?? [];
      if (origin === undefined) return;
      resolve({
        origin,
        port: Number(port),
        mailPort: Number(mailPort),
        output: () => output,
        stop: () => void child.kill(),
      });
    });
  });
