import { copyProject } from './copy-project.ts';
import { type CommandResult, runCommand } from './run-command.ts';

/**
 * Runs the Serverless Framework in a copy of the project: two that package at once in one folder delete each other's
 * `.serverless`, and exit with 0.
 */
export const runFramework = async (
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<CommandResult> => {
  const project = copyProject();
  try {
    return await runCommand('serverless', args, { cwd: project.folder, env });
  } finally {
    project.remove();
  }
};
