import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openPackage, type PackageFolder, unpackPackage } from 'lambda-stage';
import { StartError } from 'lambda-stage/database';

/** What a deployer chooses. */
export interface PackageSettings {
  readonly project: string;
  readonly stage: string;
  readonly region: string;
  /** Parameters, as with the framework's `--param="NAME=VALUE"`. */
  readonly params: Readonly<Record<string, string>>;
  /** Edits of serverless.yml as documented: an existing text and its replacement. */
  readonly edits: readonly (readonly [before: string, after: string])[];
}

/** Packages are cached by content for later starts. */
const CACHE = join(tmpdir(), 'hookloom-packages');

/**
 * Packages the service with `serverless package`, as a deployment does, and unpacks the zips; cached by content.
 *
 * @throws StartError with the framework's output
 */
export const packageStage = async (settings: PackageSettings): Promise<PackageFolder> => {
  const { project, edits } = settings;
  const folder = join(CACHE, toPackageKey(settings));
  if (!existsSync(folder)) {
    mkdirSync(CACHE, { recursive: true });
    const work = mkdtempSync(join(CACHE, 'work-'));
    try {
      copyProject(project, join(work, 'project'));
      const serviceFile = join(work, 'project/serverless.yml');
      writeFileSync(serviceFile, editServiceFile(readFileSync(serviceFile, 'utf8'), edits));
      await runFramework(join(work, 'project'), join(work, 'package'), settings);
      unpackPackage(join(work, 'package'), join(work, 'unpacked'));
      if (!existsSync(folder)) renameSync(join(work, 'unpacked'), folder);
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  }
  return openPackage(folder);
};

const editServiceFile = (text: string, edits: PackageSettings['edits']): string =>
  edits.reduce((edited, [before, after]) => {
    if (!edited.includes(before)) throw new StartError(`serverless.yml has no "${before}".`);
    return edited.replace(before, () => after);
  }, text);

/** What is in no package. */
const notPackaged = new Set(['tests', 'docs']);

/** The same for the same settings and content of the project, whatever the folder. */
export const toPackageKey = ({ project, stage, region, params, edits }: PackageSettings): string => {
  const hash = createHash('sha256').update(JSON.stringify([stage, region, params, edits]));
  for (const top of readdirSync(project).sort()) {
    if (leftOut.has(top) || notPackaged.has(top)) continue;
    const isFile = statSync(join(project, top)).isFile();
    const names = isFile ? [''] : readdirSync(join(project, top), { recursive: true, encoding: 'utf8' });
    for (const path of names.sort().map((name) => join(top, name))) {
      if (path.includes('node_modules') || !statSync(join(project, path)).isFile()) continue;
      hash.update(`${path}\n`).update(readFileSync(join(project, path)));
    }
  }
  return hash.digest('hex').slice(0, 32);
};

const runFramework = async (
  project: string,
  target: string,
  { stage, region, params }: PackageSettings,
): Promise<void> => {
  const given = Object.entries(params).map(([name, value]) => `--param=${name}=${value}`);
  const program = join(project, 'node_modules/.bin/serverless');
  const child = spawn(
    process.execPath,
    [program, 'package', '--package', target, '--stage', stage, '--region', region, ...given],
    { cwd: project, env: environmentOfDeployer(), stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new StartError(`serverless package failed:\n${output}`);
};

/** The environment without variables intended for this process. */
const environmentOfDeployer = (): NodeJS.ProcessEnv => {
  const { PATH, HOME } = process.env;
  return { PATH: `${dirname(process.execPath)}:${PATH}`, ...(HOME === undefined ? {} : { HOME }) };
};

const leftOut = new Set(['.git', '.serverless', '.esbuild', '.hookloom', 'node_modules', 'coverage', 'dist']);

/** Copies the project into a folder, with the same node_modules. */
export const copyProject = (project: string, folder: string): void => {
  for (const name of readdirSync(project)) {
    if (!leftOut.has(name)) cpSync(join(project, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'));
};
