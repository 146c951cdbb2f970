import type { FindNodeType } from '@hookloom/plugin-kit/host';
import type { Problem } from '../../lib/workflows/definition/problem.ts';
import { findFormatChanges } from '../authoring/validation/find-format-changes.ts';
import { validateWorkflow } from '../authoring/validation/validate.ts';
import type { TargetContext } from './command.ts';
import { CommandError } from './command-error.ts';
import { readStored } from './folder-commands.ts';

/**
 * Checks the workflows that a service has stored by what this release says about files: before an upgrade, with the command
 * line of the next release, it names the workflows that need a change.
 *
 * @throws CommandError if a workflow has a problem, so that it could not be stored again
 */
export const validateStored = async (
  { io, ...context }: TargetContext,
  findNodeType: FindNodeType,
): Promise<void> => {
  const stored = await readStored({ io, ...context });
  const refused: string[] = [];
  let warned = 0;
  for (const [id, { definition }] of stored) {
    const { problems, warnings } = await validateWorkflow(definition, findNodeType);
    const toLine = ({ path, message, severity }: Problem): string =>
      `${id}: ${severity === undefined ? '' : `${severity}: `}${path || '/'} ${message}`;
    refused.push(...problems.map(toLine));
    for (const warning of warnings) io.note(io.paint('yellow', toLine(warning)));
    for (const change of findFormatChanges(definition, findNodeType)) io.note(toLine(change));
    if (warnings.length > 0) warned += 1;
  }
  const names = stored.size === 1 ? '1 workflow' : `${stored.size} workflows`;
  io.print(`${names} checked, ${warned} with warnings`);
  if (refused.length > 0) throw new CommandError(refused.join('\n'));
};
