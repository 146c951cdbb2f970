import { Command } from 'commander';
import { printMachine } from './bench/measure.ts';

const { only } = new Command('npm run bench:hostile --')
  .description(
    'Measures requests crafted to take long. The exit code is 1 when one exceeds its CPU time limit',
  )
  .option('--only <text>', 'only requests whose names contain this text', '')
  .parse()
  .opts<{ readonly only: string }>();

// Loaded after reading the options, since it imports the whole service.
const { benchHostileRequests } = await import('./bench/hostile-requests.ts');

printMachine();
if (!(await benchHostileRequests(only))) process.exitCode = 1;
