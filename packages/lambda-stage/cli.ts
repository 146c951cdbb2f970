#!/usr/bin/env node
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { StartError } from './src/database/start-error.ts';
import { openPackage, unpackPackage } from './src/stage/package-folder.ts';
import { startControl } from './src/stage/stage-control.ts';
import { LAMBDA_RETRIES_MS } from './src/stage/stage-lambda.ts';
import { REGION, startStage } from './src/stage/start-stage.ts';

const help = `lambda-stage: runs a packaged CloudFormation template on this machine, as AWS would run it.

  lambda-stage run FOLDER            the folder with the template and the zips of its functions

  --port N              the port of the HTTP API; 0, the default, uses any free one
  --stack NAME          the stack's name (default: the folder's)
  --param NAME=VALUE    a parameter of the template
  --concurrency N       the account's concurrency limit (default: 1000)
  --retry-at-once       without Lambda's delays of one and two minutes between attempts
  --help                this text

The template is cloudformation-template-update-stack.json or template.json. The zip of a function has the name in its
Code.S3Key; instead of NAME.zip there may be a folder NAME with its content. Press Ctrl+C to remove the stack.
`;

const options = {
  help: { type: 'boolean', short: 'h' },
  port: { type: 'string', default: '0' },
  stack: { type: 'string' },
  param: { type: 'string', multiple: true, default: [] as string[] },
  concurrency: { type: 'string', default: '1000' },
  'retry-at-once': { type: 'boolean', default: false },
} as const;

/** Ends the process with a message and the help. */
const refuseArguments = (message: string): never => {
  process.stderr.write(`${message}\n\n${help}`);
  process.exit(2);
};

const readArguments = () => {
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    return refuseArguments((error as Error).message);
  }
};

const readNumber = (name: string, text: string, max: number): number =>
  /^\d+$/.test(text) && Number(text) <= max
    ? Number(text)
    : refuseArguments(`--${name} must be a whole number up to ${max}, not ${text}`);

const readParameter = (text: string): readonly [string, string] => {
  const at = text.indexOf('=');
  return at > 0
    ? [text.slice(0, at), text.slice(at + 1)]
    : refuseArguments(`--param must be NAME=VALUE, not ${text}`);
};

/** The account's owner, whose keys are printed. */
const owner = [{ Version: '2012-10-17', Statement: { Effect: 'Allow', Action: '*', Resource: '*' } }];

const logLine = (line: string): void => void process.stdout.write(`${line}\n`);

const runStage = async (given: string, values: ReturnType<typeof readArguments>['values']) => {
  const folder = resolve(given);
  const port = readNumber('port', values.port, 65_535);
  const concurrency = readNumber('concurrency', values.concurrency, 1_000_000);
  const parameters = Object.fromEntries(values.param.map(readParameter));
  if (!existsSync(folder)) throw new StartError(`There is no folder ${folder}.`);
  const work = mkdtempSync(join(tmpdir(), 'lambda-stage-'));
  process.once('exit', () => rmSync(work, { recursive: true, force: true }));
  unpackPackage(folder, work);
  const unpacked = openPackage(work);
  const stage = await startStage({
    template: unpacked.template,
    folderOf: unpacked.folderOf,
    parameters,
    port,
    concurrency,
    log: logLine,
    stackName: values.stack ?? basename(folder),
    users: () => ({ owner }),
    buckets: [],
    queues: [],
    tables: [],
    retryDelaysMs: values['retry-at-once'] ? [10, 20] : LAMBDA_RETRIES_MS,
  });
  const control = await startControl(stage);
  const { accessKeyId, secretAccessKey } = await stage.door.credentialsOf('owner');
  logLine(`
The stack runs at ${stage.baseUrl}. A route with IAM authorization takes the owner's keys:

  curl --aws-sigv4 aws:amz:${REGION}:execute-api --user ${accessKeyId}:${secretAccessKey} ${stage.baseUrl}/PATH

What was refused: ${control.endpoint}/refusals. Which grants were used: ${control.endpoint}/grants.
Fire a scheduled rule: curl -X POST ${control.endpoint}/fire/LOGICAL_ID. Press Ctrl+C to remove the stack.`);
  return async () => {
    await control.stop();
    await stage.stop();
  };
};

const { values, positionals } = readArguments();
const [command, folder, ...rest] = positionals;
if (values.help === true) process.stdout.write(help);
else if (command !== 'run' || folder === undefined || rest.length > 0)
  refuseArguments('Expected: run FOLDER');
else {
  const stop = await runStage(folder, values).catch((error: Error) => {
    process.stderr.write(`${error instanceof StartError ? error.message : error.stack}\n`);
    process.exit(1);
  });
  let isEnding = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, async () => {
      if (isEnding) return;
      isEnding = true;
      await stop();
      process.exit(0);
    });
}
