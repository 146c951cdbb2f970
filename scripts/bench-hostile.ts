import { Command } from 'commander';
import { printMachine } from './bench/measure.ts';

const { only } = new Command('npm run bench:hostile --')
  .description(
    'Measures requests that are made to take long. The exit code is 1 when one is above the limit on its CPU time',
  )
  .option('--only <text>', 'the requests whose names contain this text', '')
  .parse()
  .opts<{ readonly only: string }>();

// Loaded after the options are read: it imports the whole service.
const { benchHostileRequests } = await import('./bench/hostile-requests.ts');

printMachine();
if (!(await benchHostileRequests(only))) process.exitCode = 1;
