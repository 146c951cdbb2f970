import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { projectFolder } from '../../cli/local/project-folder.ts';
import { readStageInfo, toUserEnvironment } from './stage-file.ts';

// `npm run -s stage:cli -- [--as USER] …`: the command line for the stage on this machine.

const [first, user, ...rest] = process.argv.slice(2);
const isNamed = first === '--as' && user !== undefined;
const args = isNamed ? rest : process.argv.slice(2);
const info = readStageInfo();
const keys = info?.users[isNamed ? user : 'owner'];
if (info === null || keys === undefined) {
  const users = Object.keys(info?.users ?? {}).join(', ');
  process.stderr.write(
    info === null
      ? 'No stage is running. Start it: npm run stage\n'
      : `There is no user ${user}, but ${users}.\n`,
  );
  process.exit(1);
}
const child = spawn(
  process.execPath,
  [...info.nodeFlags, join(projectFolder(), 'packages/cli/main.ts'), ...args, '--stage', info.stage],
  { env: { ...process.env, ...toUserEnvironment(keys, info.region) }, stdio: 'inherit' },
);
// Ctrl+C in a terminal reaches both processes.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
child.once('exit', (code) => process.exit(code ?? 1));
