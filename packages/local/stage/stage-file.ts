import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Keys } from 'lambda-stage/door';
import { projectFolder } from '../../cli/local/project-folder.ts';

/** How to reach a stage on this machine, stored in a file for its command line. */
export interface StageInfo {
  readonly pid: number;
  readonly baseUrl: string;
  /** The stage's name, as in `hookloom --stage NAME`. */
  readonly stage: string;
  /** Bucket for larger values and uploads. */
  readonly blobBucket: string;
  readonly region: string;
  /** The address of those services, with TLS. */
  readonly doorPort: number;
  readonly caFile: string;
  /** Flags with which `node` finds the stage's services at AWS hosts. */
  readonly nodeFlags: readonly string[];
  /** Keys of users, by name. */
  readonly users: Readonly<Record<string, Keys>>;
  /** The stage's own API: fires schedules, lists grants and refusals. */
  readonly controlUrl: string;
}

const stageFilePath = (): string => join(projectFolder(), '.hookloom/stage.json');

export const writeStageInfo = (info: StageInfo): void => {
  mkdirSync(join(projectFolder(), '.hookloom'), { recursive: true });
  writeFileSync(stageFilePath(), JSON.stringify(info, null, 2), { mode: 0o600 });
};

/** Reads about the running stage; null when there is none. */
export const readStageInfo = (): StageInfo | null => {
  try {
    return JSON.parse(readFileSync(stageFilePath(), 'utf8'));
  } catch {
    return null;
  }
};

/** Removes the file if this process wrote it. */
export const removeStageInfo = (): void => {
  if (readStageInfo()?.pid === process.pid) rmSync(stageFilePath(), { force: true });
};

/** The environment that a process needs to act as a user. */
export const toUserEnvironment = ({ accessKeyId, secretAccessKey, sessionToken }: Keys, region: string) => ({
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: secretAccessKey,
  AWS_SESSION_TOKEN: sessionToken ?? '',
  AWS_REGION: region,
});
