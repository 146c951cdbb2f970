import { toPackageSettings } from '../../packages/local/stage/deployer-settings.ts';
import type { PackageSettings } from '../../packages/local/stage/package-stage.ts';
import { projectRoot } from './run-command.ts';

/** The variables with which tests start stages: the same for all, so that their package is made once for each run. */
export const stageEnvironment: Readonly<Record<string, string>> = { LOG_LEVEL: 'warn' };

/** How the stages of tests are packaged, from the unchanged project. */
export const stagePackage = (params: Readonly<Record<string, string>> = {}): PackageSettings => {
  const place = { stage: 'dev', region: 'us-east-1', account: '000000000000' };
  return toPackageSettings(projectRoot, place, stageEnvironment, params);
};
