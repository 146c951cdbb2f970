import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  ACCOUNT,
  LAMBDA_RETRIES_MS,
  REGION,
  type StageOptions,
  startControl,
  startStage,
} from 'lambda-stage';
import { StartError } from 'lambda-stage/database';
import { PROCESS_FILE } from 'lambda-stage/pool';
import { noteNewStage } from '../../../resources/stored-data.ts';
import { ordersApiKey } from '../../cli/local/local-service.ts';
import { projectFolder } from '../../cli/local/project-folder.ts';
import { labelOf } from '../engine/failed-runs.ts';
import { isRun } from '../engine/start-engine.ts';
import { bundleFile } from '../functions/bundler.ts';
import { ordersTable } from '../samples/systems.ts';
import { readOptions, readPort, stopOnSignals, toPortError } from '../start-up.ts';
import { readPolicies, sampleSettings, toPackageSettings } from './deployer-settings.ts';
import { packageStage } from './package-stage.ts';
import { removeStageInfo, type StageInfo, toUserEnvironment, writeStageInfo } from './stage-file.ts';

const help = `npm run stage: the packaged service on this machine, as AWS would run it.

Packages the service and runs each function from its own zip, with the variables, the role and the event sources of the
template. A call that its role does not allow is refused.

  npm run stage                              with the samples
  npm run stage -- --env NAME=VALUE          a variable under provider.environment of serverless.yml
  npm run stage -- --param NAME=VALUE        a parameter of the deployment
  npm run stage -- --template FILE           with this template instead of the packaged one
  npm run stage -- --no-samples              without the samples
  npm run stage -- --concurrency N           the account's concurrency limit (default: 1000)
  npm run stage -- --retry-at-once           without Lambda's delays of one and two minutes between attempts
  PORT=4000 npm run stage                    at another port; 0 uses any free port

Press Ctrl+C to stop it.
`;

const PORT = '3100';
const STAGE = 'dev';

const options = {
  help: { type: 'boolean', short: 'h' },
  env: { type: 'string', multiple: true },
  param: { type: 'string', multiple: true },
  template: { type: 'string' },
  samples: { type: 'boolean', default: true },
  concurrency: { type: 'string', default: '1000' },
  'retry-at-once': { type: 'boolean', default: false },
} as const;

const values = readOptions(() => parseArgs({ options, allowNegative: true }).values, help);

/** Converts options in the form `NAME=VALUE` to a map. */
const toNamedValues = (given: readonly string[]): Record<string, string> =>
  Object.fromEntries(given.map((one) => [one.split('=')[0] ?? '', one.slice(one.indexOf('=') + 1)]));

const logLine = (line: string): void => void process.stdout.write(`${line}\n`);

/** A policy that allows everything. */
const owner = [{ Version: '2012-10-17', Statement: { Effect: 'Allow', Action: '*', Resource: '*' } }];

/** The account's owner, and the users that the docs have policies for. */
const readUsers = (project: string, place: Parameters<typeof toPackageSettings>[1]) => {
  const pages = ['operating', 'deploying'].map((page) =>
    readFileSync(join(project, `docs/${page}.md`), 'utf8'),
  );
  return (apiId: string) => ({ owner, ...readPolicies(pages.join('\n'), { ...place, apiId }) });
};

/** What the stage has of this service, beside its package. */
const ofService = async (users: StageOptions['users']) => {
  const work = mkdtempSync(join(tmpdir(), 'hookloom-stage-'));
  process.once('exit', () => rmSync(work, { recursive: true, force: true }));
  return {
    stackName: `hookloom-${STAGE}`,
    processFile: await bundleFile(PROCESS_FILE, work),
    onTables: async ({ resources }, database) => {
      const wanted = { ExecutionsTable: String(resources.ExecutionsTable?.ref) };
      await noteNewStage({ wanted }, database); // as a deployment does
    },
    isRun,
    labelOf,
    users,
    queues: sampleSettings.queues,
    buckets: ['imports'],
    tables: [ordersTable],
  } satisfies Partial<StageOptions>;
};

const runStage = async ({
  env = [],
  param = [],
  template,
  samples,
  concurrency,
  'retry-at-once': retriesAtOnce,
}: typeof values) => {
  const port = readPort(process.env.PORT || PORT);
  const project = projectFolder();
  const place = { stage: STAGE, region: REGION, account: ACCOUNT };
  logLine('Packaging the service …');
  const packaged = await packageStage(
    toPackageSettings(project, place, toNamedValues(env), toNamedValues(param)),
  );
  const users = readUsers(project, place);
  const stage = await startStage({
    ...packaged,
    ...(template === undefined ? {} : { template: JSON.parse(readFileSync(template, 'utf8')) }),
    ...(await ofService(users)),
    port,
    concurrency: Number(concurrency),
    retryDelaysMs: retriesAtOnce ? [10, 20] : LAMBDA_RETRIES_MS,
    log: logLine,
  }).catch((error: unknown) => Promise.reject(toPortError(error, port)));
  const control = await startControl(stage);
  const keys = Object.fromEntries(
    await Promise.all(
      Object.keys(users('')).map(async (name) => [name, await stage.door.credentialsOf(name)] as const),
    ),
  );
  const { baseUrl, door } = stage;
  const info: StageInfo = {
    pid: process.pid,
    baseUrl,
    stage: STAGE,
    blobBucket: stage.template.resources.BlobBucket?.ref ?? '',
    region: REGION,
    doorPort: door.port,
    caFile: door.caFile,
    nodeFlags: door.nodeFlags,
    users: keys,
    controlUrl: control.endpoint,
  };
  writeStageInfo(info);
  if (samples) await seedStage(project, info);
  process.stdout.write(describeStage(info));
  return async () => {
    removeStageInfo();
    await control.stop();
    await stage.stop();
  };
};

/** Runs in a process that finds the stage's services at AWS hosts. */
const seedStage = async (project: string, { nodeFlags, users, stage, region }: StageInfo): Promise<void> => {
  const { owner: keys } = users;
  if (keys === undefined) return;
  const child = spawn(
    process.execPath,
    [...nodeFlags, join(project, 'packages/local/stage/seed-stage.ts'), stage],
    {
      env: { ...process.env, ...toUserEnvironment(keys, region) },
      stdio: 'inherit',
    },
  );
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new StartError("The samples can't be stored.");
};

const describeStage = ({ baseUrl, users, controlUrl, region }: StageInfo): string => {
  const { accessKeyId = '', secretAccessKey = '' } = users.owner ?? {};
  const json = "-H 'content-type: application/json'";
  return `
Hookloom is running at ${baseUrl}, as AWS would run it. Paste these into another terminal:

  curl -s ${baseUrl}/api/webhook/hello/webhook ${json} -d '{"name":"Ada"}'
  curl -s ${baseUrl}/api/webhook/orders/orders -H 'x-api-key: ${ordersApiKey()}' ${json} -d '{"id":"A-1","total":120}'
  curl -s --aws-sigv4 aws:amz:${region}:execute-api --user ${accessKeyId}:${secretAccessKey} ${baseUrl}/api/admin/plugins/health
  npm run -s stage:cli -- execution list
  npm run -s stage:cli -- --as author workflow list
  curl -s ${controlUrl}/refusals

Users, each with the policy from docs/: ${Object.keys(users).join(', ')}; owner may do anything.
It does not apply edits: restart it. Press Ctrl+C to stop.
`;
};

if (values.help === true) process.stdout.write(help);
else {
  let stop: (() => Promise<void>) | null = null;
  stopOnSignals(() => stop);
  stop = await runStage(values).catch((error: unknown) => {
    process.stderr.write(`${error instanceof StartError ? error.message : (error as Error).stack}\n`);
    process.exit(1);
  });
}
