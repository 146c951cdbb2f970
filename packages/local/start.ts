import { parseArgs } from 'node:util';
import { runService } from './run-service.ts';
import { readOptions } from './start-up.ts';

const help = `npm start: the whole service on this machine.

  npm start                      data in memory
  npm start -- --data DIR        workflows, credentials and executions in DIR
  HOOKLOOM_DATA=DIR npm start    the same
  PORT=4000 npm start            another port; 0 uses any free port
  npm start -- --traces URL      sends traces to a collector, such as http://localhost:4318/v1/traces

Press Ctrl+C to stop it.
`;

const options = {
  data: { type: 'string' },
  traces: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;
const { help: isHelp, ...given } = readOptions(() => parseArgs({ options }).values, help);
if (isHelp === true) process.stdout.write(help);
else void runService(given);
