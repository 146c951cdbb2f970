import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { StartError } from '../database/start-error.ts';
import type { FunctionVersion } from '../pool/messages.ts';
import { createProcessPool, type FunctionSource, type ProcessPool } from '../pool/process-pool.ts';
import { createSpareSandbox } from '../pool/sandbox.ts';
import { BACKGROUND_PROCESSES, REQUEST_PROCESSES } from '../pool/slots.ts';
import { type DeployedFunction, runtimeEnvironment, toVersion } from './deployed-functions.ts';
import type { Door } from './door/door-types.ts';

/** The versions of the functions, with the keys of their roles. */
export const deployFunctions = async ({
  functions,
  folderOf,
  region,
  door,
}: {
  readonly functions: readonly DeployedFunction[];
  /** The folder with the content of a zip, by its name without `.zip`. */
  readonly folderOf: (zip: string) => string;
  readonly region: string;
  readonly door: Door;
}): Promise<FunctionSource> => {
  const versions = new Map<string, FunctionVersion>();
  for (const deployed of functions) {
    const keys = await door.credentialsOf(deployed.role, deployed.name);
    versions.set(deployed.key, toVersion(deployed, { folder: folderOf(deployed.zip), region, keys }));
    if (deployed.deadLetters === null) continue;
    const question = { principal: deployed.role, action: 'sqs:SendMessage', resource: deployed.deadLetters };
    if (!(await door.authorize(question)).allowed)
      throw new StartError(
        `CloudFormation would refuse ${deployed.name}: the provided execution role does not have permissions to call SendMessage on SQS`,
      );
  }
  return {
    find: async (key) => {
      const version = versions.get(key);
      if (version === undefined) throw new Error(`there is no function ${key}`);
      return version;
    },
    isCurrent: () => true,
  };
};

/** Processes like Lambda's sandboxes: with the environment of Lambda's runtime and nothing from this process's. */
export const createPools = ({
  source,
  nodeFlags,
  processFile,
  routed,
}: {
  readonly source: FunctionSource;
  readonly nodeFlags: readonly string[];
  /** A bundle of {@link PROCESS_FILE}, which starts in half the time. */
  readonly processFile: string | undefined;
  /** The functions with routes, which have processes of their own. */
  readonly routed: ReadonlySet<string>;
}) => {
  const folder = mkdtempSync(join(tmpdir(), 'lambda-stage-'));
  const sdkFolder = join(folder, 'runtime/node_modules');
  mkdirSync(sdkFolder, { recursive: true });
  symlinkSync(findSdk(), join(sdkFolder, '@aws-sdk'));
  const spare = createSpareSandbox({ ...runtimeEnvironment(sdkFolder) }, processFile, nodeFlags);
  const requests = createProcessPool({ processes: REQUEST_PROCESSES, functions: source, spare });
  const background = createProcessPool({ processes: BACKGROUND_PROCESSES, functions: source, spare });
  const poolOf = (key: string) => (routed.has(key) ? requests : background);
  const processes: ProcessPool = {
    invoke: (invocation) => poolOf(invocation.functionKey).invoke(invocation),
    prewarm: (key) => poolOf(key).prewarm(key),
    dropOutdated: () => {},
    stop: async () => {},
  };
  return {
    processes,
    stopProcesses: async () => {
      await Promise.all([requests.stop(), background.stop(), spare.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

/** The folder of the SDK that Lambda's runtime includes: here, of the clients that are installed. */
const findSdk = (): string =>
  join(dirname(createRequire(import.meta.url).resolve('@aws-sdk/client-lambda/package.json')), '..');
