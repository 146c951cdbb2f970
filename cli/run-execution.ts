import * as execution from './execution-commands.ts';
import { noNames, readId, readListQuery } from './read-arguments.ts';
import type { CommandLine, Values } from './run.ts';

type Work = (context: execution.ExecutionContext) => Promise<void>;

/** Runs a command about executions. */
export const runExecution = async (
  command: string,
  names: readonly string[],
  values: Values,
  commandLine: CommandLine,
): Promise<void> => {
  const work = toWork(command, names, values, commandLine); // what is wrong is told before anything is opened
  const target = commandLine.openTarget(values);
  try {
    await work({ io: commandLine.io, target });
  } finally {
    target.close();
  }
};

const toWork = (
  command: string,
  names: readonly string[],
  values: Values,
  { loadNodeTypes }: CommandLine,
): Work => {
  const asJson = values.json === true;
  if (command === 'list') {
    noNames(names);
    const query = readListQuery(values);
    return (context) => execution.list(query, asJson, context);
  }
  const id = readId(names);
  switch (command) {
    case 'show':
      return (context) => execution.show(id, asJson, context);
    case 'retry': {
      const version = values.current === true ? 'current' : 'recorded';
      const options = { from: values.from ?? null, version } as const;
      return async (context) => execution.retry(id, options, context, await loadNodeTypes());
    }
    case 'cancel':
      return (context) => execution.cancel(id, context);
    default:
      return (context) => execution.watch(id, context);
  }
};
