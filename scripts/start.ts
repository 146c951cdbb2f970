import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';

const help = `npm start: the whole service on this machine.

  npm start                      everything is kept in memory, and gone at the end
  npm start -- --data DIR        workflows, credentials, executions are kept in DIR
  PORT=4000 npm start            at another port; 0 takes any that is free

Ctrl+C ends it.
`;

/** What was asked for; ends the process with what is wrong with it. */
const readOptions = (): { readonly data?: string | undefined; readonly help?: boolean | undefined } => {
  try {
    const options = { data: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const;
    return parseArgs({ options }).values;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${help}`);
    process.exit(2);
  }
};

const options = readOptions();
if (options.help === true) {
  process.stdout.write(help);
} else {
  const service = spawn('serverless', ['offline', 'start'], {
    stdio: 'inherit',
    env: { ...process.env, ...(options.data === undefined ? {} : { HOOKLOOM_DATA: options.data }) },
  });
  // Ctrl+C reaches both: this one waits until the other has tidied up.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => service.kill('SIGTERM'));
  service.on('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}
