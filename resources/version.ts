import { execFileSync } from 'node:child_process';

/**
 * The commit of a folder, as in `git describe`: `1a2b3c4`, and `1a2b3c4-dirty` with changes that are in no commit.
 *
 * @returns null for a folder that is not the top of a clone, such as an unpacked archive
 */
export const readCommit = (folder: string): string | null => {
  const git = (...parameters: readonly string[]): string =>
    execFileSync('git', ['-C', folder, ...parameters], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, GIT_OPTIONAL_LOCKS: '0' }, // reads only
    }).trim();
  try {
    if (git('rev-parse', '--show-prefix') !== '') return null;
    return git('describe', '--always', '--dirty', '--abbrev=7', '--exclude=*');
  } catch {
    return null; // no git, no clone, or one without a commit
  }
};

/** A version with its commit as build metadata: https://semver.org/#spec-item-10 */
export const toBuildVersion = (version: string, commit: string | null): string =>
  commit === null ? version : `${version}+${commit}`;
