import type { Stack, StackResourceSummary } from '@aws-sdk/client-cloudformation';
import { tryJson } from '../../../lib/shared/try-json.ts';
import type { Template } from '../../../resources/cloudformation.ts';
import type { RemoveOptions } from '../../cli/command.ts';
import { CommandError, explainAwsError } from '../../cli/command-error.ts';
import { readHookloomFile } from '../../cli/hookloom-file.ts';
import type { Io } from '../../cli/io.ts';
import { homeFolder } from '../../cli/local/project-folder.ts';
import { stackOf, toCommandError, useRegion } from './deploy-stage.ts';
import { createProgress, describeFailures } from './show-changes.ts';
import { openStack } from './stack.ts';

/** Of the removed stack itself, in the end. */
const REMOVED = 'DELETE_COMPLETE';

/**
 * Removes the stack of a stage, except for its data: shows what goes and what stays, asks for the stage's name, and follows it.
 *
 * @throws CommandError if it is refused, or fails
 */
export const removeStage = async (stage: string, options: RemoveOptions, io: Io): Promise<void> => {
  const region = await useRegion(options, readHookloomFile(homeFolder()).stages[stage]?.region);
  const open = (stackName: string) =>
    openStack({ stackName, config: { region }, sleep: (ms) => io.sleep(ms) });
  const named = open(stackOf(stage));
  try {
    const found = await named.read();
    checkState(stage, found, region);
    const resources = await named.listResources();
    if (resources.some(({ LogicalResourceId }) => LogicalResourceId === 'ServerlessDeploymentBucket'))
      throw new CommandError(
        `${stage} was deployed from a clone: remove it there, with \`npx serverless remove --stage ${stage}\`.`,
      );
    const going = showRemoval(stage, { resources, template: await named.readTemplate(), found }, io);
    if (options.dryRun === true) return;
    if (options.yes !== true) await confirm(stage, io);
    await followRemoval(stage, open(found?.StackId ?? ''), going, io);
  } catch (error) {
    throw explainAwsError(error, { ...options, stage, region }, io.env) ?? toCommandError(error);
  } finally {
    named.close();
  }
};

/** @throws CommandError if there is nothing to remove, or it can't be removed now */
const checkState = (stage: string, found: Stack | null, region: string): void => {
  const { StackStatus = '', EnableTerminationProtection: isProtected } = found ?? {};
  if (found === null)
    throw new CommandError(`There is no stage ${stage} in ${region}: no stack ${stackOf(stage)}.`);
  if (isProtected === true)
    throw new CommandError(
      `The stack ${stackOf(stage)} has termination protection: turn it off in CloudFormation first.`,
    );
  if (StackStatus.endsWith('_IN_PROGRESS') && StackStatus !== 'REVIEW_IN_PROGRESS')
    throw new CommandError(
      `The stack ${stackOf(stage)} is being changed (${StackStatus}): wait until that is done.`,
    );
};

const RETAINING = new Set(['Retain', 'RetainExceptOnCreate', 'Snapshot']);

/** Whatever their policy, they go with their function. */
const PARTS = new Set(['AWS::Lambda::Version']);

interface Removed {
  readonly resources: readonly StackResourceSummary[];
  readonly template: string;
  readonly found: Stack | null;
}

/** Says what goes and what stays. @returns how many resources go */
const showRemoval = (stage: string, { resources, template, found }: Removed, io: Io): number => {
  const { Resources = {} } = (tryJson(template) ?? {}) as Partial<Template>;
  const staysOf = ({ LogicalResourceId = '', ResourceType = '' }: StackResourceSummary): boolean =>
    !PARTS.has(ResourceType) && RETAINING.has(Resources[LogicalResourceId]?.DeletionPolicy ?? '');
  const going = resources.filter((one) => !staysOf(one));
  const byType = Map.groupBy(going, ({ ResourceType = '' }) => ResourceType);
  for (const [type, ofType] of [...byType].sort())
    io.print(io.paintOut('red', `- ${ofType.length === 1 ? '' : `${ofType.length} × `}${type}`));
  for (const { LogicalResourceId, PhysicalResourceId } of resources.filter(staysOf))
    io.print(`stays: ${PhysicalResourceId ?? LogicalResourceId}`);
  io.print(`stays: secrets of credentials, in Parameter Store under /${stackOf(stage)}/credentials/`);
  const bucket = found?.Parameters?.find(({ ParameterKey }) => ParameterKey === 'AssetsBucket');
  if (bucket?.ParameterValue) io.print(`stays: the code of its functions, in s3://${bucket.ParameterValue}`);
  return going.length;
};

/** @throws CommandError unless the stage's name is typed */
const confirm = async (stage: string, io: Io): Promise<void> => {
  if (!io.isTerminal) throw new CommandError('Without a terminal, `--yes` removes it. Nothing was changed.');
  io.note('Its webhooks and triggers end, and so do runs that have not ended: durable ones don’t continue.');
  const typed = await io.ask(`Type the stage's name, ${stage}, to remove it: `);
  if (typed.trim() !== stage) throw new CommandError('Nothing was changed.');
};

/** @throws CommandError with what could not be removed */
const followRemoval = async (
  stage: string,
  stack: ReturnType<typeof openStack>,
  total: number,
  io: Io,
): Promise<void> => {
  try {
    const before = await stack.readLastEvent();
    await stack.remove();
    const onProgress = createProgress(total, io);
    const failures: string[] = [];
    const { StackStatus = REMOVED } =
      (await stack.follow(before, (events) => {
        onProgress(events);
        failures.push(...describeFailures(events));
      })) ?? {};
    if (StackStatus !== REMOVED)
      throw new CommandError(
        [
          `${stage} was not removed whole (${StackStatus}):`,
          ...failures.map((failure) => `  ${failure}`),
          'Once the cause is fixed, remove it again: it continues with the rest.',
        ].join('\n'),
      );
    io.print(`${stage} is removed. Its data stays: docs/deploying.md, "Remove, and deploy again".`);
  } finally {
    stack.close();
  }
};
