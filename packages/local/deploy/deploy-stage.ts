import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { awsEndpoint, createAwsCaller } from '../../../lib/adapters/aws/aws-caller.ts';
import type { Template } from '../../../resources/cloudformation.ts';
import {
  type AwsConfig,
  findStoredData,
  findStoredProblem,
  namesOfStored,
  noteNewStage,
  type StoredData,
} from '../../../resources/stored-data.ts';
import { findTableUpdates, keepFirstUpdates } from '../../../resources/table-updates.ts';
import type { DeployOptions } from '../../cli/command.ts';
import { CommandError, explainAwsError } from '../../cli/command-error.ts';
import { readHookloomFile } from '../../cli/hookloom-file.ts';
import { confirmOnTerminal, type Io } from '../../cli/io.ts';
import { homeFolder, programName, projectFolder } from '../../cli/local/project-folder.ts';
import { findRegion, openSdk } from '../../cli/target.ts';
import { type AssetsBucket, uploadAssets } from './assets-bucket.ts';
import { buildZips } from './build-zips.ts';
import { createProgress, describeFailures, showChanges } from './show-changes.ts';
import { openStack } from './stack.ts';

/** The template of a release. */
interface Released extends Template {
  readonly Parameters: Readonly<Record<string, Parameter>>;
}

interface Parameter {
  readonly Default?: string;
  readonly AllowedPattern?: string;
  readonly AllowedValues?: readonly string[];
}

/** What is deployed, and where. */
interface Deployment {
  readonly stage: string;
  readonly template: Released;
  readonly parameters: Readonly<Record<string, string>>;
  readonly place: AssetsBucket;
  readonly config: AwsConfig;
  readonly options: DeployOptions;
  readonly io: Io;
}

/**
 * Launches or upgrades a stage with the template of this release: shows what would change, asks, makes the change, and follows it.
 *
 * @throws CommandError if it is refused, or fails
 */
export const deployStage = async (stage: string, options: DeployOptions, io: Io): Promise<void> => {
  const home = homeFolder();
  const project = projectFolder();
  const { region: ofFile, parameters = {}, assetsBucket } = readHookloomFile(home).stages[stage] ?? {};
  const template = readTemplate(project);
  const chosen = { ...parameters, ...options.param };
  checkParameters(stage, chosen, template);
  const region = await useRegion(options, ofFile);
  try {
    const config = { region };
    const account = await readAccount(region);
    const place = { bucket: assetsBucket ?? `hookloom-assets-${account}-${region}`, region, account };
    io.note('Building the functions …');
    const { zips, hash } = await buildZips(project, home);
    const prefix = `${template.Parameters.AssetsPrefix?.Default ?? 'hookloom/'}${hash}/`;
    const files = new Map([...zips].map(([name, zip]) => [`${prefix}${name}`, zip]));
    const sent = await uploadAssets(place, files, config);
    io.note(`${sent} of ${files.size} zips stored in s3://${place.bucket}/${prefix}`);
    const launch = { ...chosen, Stage: stage, AssetsBucket: place.bucket, AssetsPrefix: prefix };
    await makeAllChanges({ stage, template, parameters: launch, place, config, options, io });
  } catch (error) {
    throw explainAwsError(error, { ...options, stage, region }, io.env) ?? toCommandError(error);
  }
};

/** Sets what the SDK's clients read. @param ofFile - the region in hookloom.json */
export const useRegion = async (
  { region: named, profile }: Pick<DeployOptions, 'region' | 'profile'>,
  ofFile: string | undefined,
): Promise<string> => {
  if (profile !== undefined) process.env.AWS_PROFILE = profile;
  const region = named ?? ofFile ?? (await findRegion());
  process.env.AWS_REGION = region;
  return region;
};

const readTemplate = (project: string): Released => {
  const file = join(project, 'template.json');
  if (!existsSync(file))
    throw new CommandError('This is a clone: deploy it with `npx serverless deploy --stage NAME`.');
  return JSON.parse(readFileSync(file, 'utf8'));
};

/** What the deployment itself decides. */
const OWN = ['Stage', 'AssetsBucket', 'AssetsPrefix'];

/** Refuses what CloudFormation would refuse, before anything is built. @throws CommandError */
const checkParameters = (
  stage: string,
  chosen: Readonly<Record<string, string>>,
  { Parameters }: Released,
): void => {
  const known = Object.keys(Parameters).filter((name) => !OWN.includes(name));
  const unknown = Object.keys(chosen).filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new CommandError(`Unknown parameter: ${unknown.join(', ')}. Parameters are: ${known.join(', ')}`);
  for (const [name, value] of Object.entries({ Stage: stage, ...chosen })) {
    const { AllowedPattern = '[^]*', AllowedValues = [value] } = Parameters[name] ?? {};
    if (!AllowedValues.includes(value))
      throw new CommandError(`${name} must be ${AllowedValues.join(' or ')}, not ${JSON.stringify(value)}`);
    if (!new RegExp(`^(?:${AllowedPattern})$`).test(value))
      throw new CommandError(`${name} must match ${AllowedPattern}, not ${JSON.stringify(value)}`);
  }
};

const TIMEOUTS = { connectMs: 2_000, exchangeMs: 10_000 };

/** https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html */
const readAccount = async (region: string): Promise<string> => {
  const { AWS_ENDPOINT_URL_STS, AWS_ENDPOINT_URL } = process.env; // as the SDK's clients read them
  const sdk = await openSdk();
  const call = createAwsCaller({
    service: 'sts',
    region,
    endpoint: AWS_ENDPOINT_URL_STS ?? AWS_ENDPOINT_URL ?? null,
    readCredentials: () => sdk.config.credentials(),
    timeouts: TIMEOUTS,
  });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = 'Action=GetCallerIdentity&Version=2011-06-15';
  const answer = await call({ method: 'POST', path: '/', headers, body }).finally(() => sdk.destroy());
  const text = answer.body.toString();
  const account = /<Account>(\d{12})<\/Account>/.exec(text)?.[1];
  if (account === undefined)
    throw new Error(/<Message>([^<]{1,1000})</.exec(text)?.[1] ?? `AWS answered ${answer.status}`);
  return account;
};

/** DynamoDB changes one index or stream of a table at a time: an upgrade with several takes as many changes of the stack. */
const MAX_ROUNDS = 10;

const makeAllChanges = async (deployment: Deployment): Promise<void> => {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const stored = await checkStoredData(deployment);
    const template: Released = structuredClone(deployment.template);
    const updates = findTableUpdates(template, stored.tables);
    keepFirstUpdates(updates);
    if (updates.size > 0)
      deployment.io.note(
        'Tables need several changes, which DynamoDB makes one at a time: this is one of several steps.',
      );
    const isMade = await makeChange(template, stored, deployment);
    if (!isMade || updates.size === 0) return;
  }
};

/** @throws CommandError if this release can't work with what the stage has stored */
const checkStoredData = async ({ stage, template, place, config, io }: Deployment): Promise<StoredData> => {
  const named: Template = JSON.parse(JSON.stringify(template).replaceAll(STAGE_VARIABLE, stage));
  const wanted = namesOfStored(named, { accountId: place.account, region: place.region });
  const stored = await findStoredData(wanted, stackOf(stage), config);
  const problem = findStoredProblem(stored, { adopts: false, stage });
  if (problem !== null) throw new CommandError(problem);
  if (stored.unseen !== null)
    io.note(io.paint('yellow', `Not all of the stage's data could be checked: ${stored.unseen}`));
  return stored;
};

// biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the template, not of this file
const STAGE_VARIABLE = '${Stage}';

/** By which the command line finds a stage. */
export const stackOf = (stage: string): string => `hookloom-${stage}`;

/** @returns whether the stack was changed */
const makeChange = async (
  template: Released,
  stored: StoredData,
  { stage, parameters, place, config, options, io }: Deployment,
): Promise<boolean> => {
  const text = JSON.stringify(template);
  const key = `${parameters.AssetsPrefix}template-${createHash('sha256').update(text).digest('hex').slice(0, 16)}.json`;
  await uploadAssets(place, new Map([[key, text]]), config);
  const stack = openStack({ stackName: stackOf(stage), config, sleep: (ms) => io.sleep(ms) });
  try {
    const { changes, execute, discard } = await stack.propose(`hookloom-${io.now()}`, {
      TemplateURL: `${awsEndpoint('s3', place.region, place.bucket)}/${key}`,
      Parameters: Object.entries(parameters).map(([ParameterKey, ParameterValue]) => ({
        ParameterKey,
        ParameterValue,
      })),
    });
    if (changes.length === 0) {
      io.print(`${stage}: nothing differs.`);
      return false;
    }
    showChanges(changes, io);
    if (options.dryRun === true) {
      await discard();
      return false;
    }
    if (options.yes !== true)
      await confirmOnTerminal(
        `Make these ${changes.length} changes of ${stage}?`,
        'Nothing was changed.',
        io,
      ).catch(async (error: unknown) => {
        await discard();
        throw error;
      });
    const before = await stack.readLastEvent();
    await execute();
    await followChange({ stack, before, total: changes.length, stage, io });
    if (stored.isNew) await noteNewStage(stored, config);
    return true;
  } finally {
    stack.close();
  }
};

/** @throws CommandError with what failed */
const followChange = async (parts: {
  readonly stack: ReturnType<typeof openStack>;
  readonly before: string | undefined;
  readonly total: number;
  readonly stage: string;
  readonly io: Io;
}): Promise<void> => {
  const { stack, before, total, stage, io } = parts;
  const onProgress = createProgress(total, io);
  const failures: string[] = [];
  const { StackStatus = '', Outputs = [] } = await stack.follow(before, (events) => {
    onProgress(events);
    for (const failure of describeFailures(events)) {
      failures.push(failure);
      io.note(io.paint('red', failure));
    }
  });
  if (!/^(?:CREATE|UPDATE)_COMPLETE/.test(StackStatus))
    throw new CommandError(
      `${stage} was not deployed (${StackStatus}):\n${failures.map((failure) => `  ${failure}`).join('\n')}`,
    );
  io.print(`${stage} is deployed.`);
  for (const { OutputKey, OutputValue } of Outputs)
    if (OutputKey === 'WebhookUrl') io.print(`Webhooks: ${OutputValue}/WORKFLOW/PATH`);
  for (const command of ['deploy workflows', 'console', 'doctor'])
    io.print(`  ${programName()} ${command} --stage ${stage}`);
};

/** What AWS says is for the user: a denial, a quota, a name that is taken; and that it can't be reached. */
export const toCommandError = (error: unknown): unknown => {
  const { name, message, syscall, $metadata } = error as NodeJS.ErrnoException & {
    readonly $metadata?: object;
  };
  if ($metadata !== undefined) return new CommandError(`AWS refuses: ${name}: ${message}`);
  return syscall === undefined ? error : new CommandError(`AWS can't be reached: ${message}`);
};
