// The stage: a packaged template, run on this machine as AWS would run it.

export { openPackage, type PackageFolder, unpackPackage } from './src/stage/package-folder.ts';
export { startControl } from './src/stage/stage-control.ts';
export { LAMBDA_RETRIES_MS } from './src/stage/stage-lambda.ts';
export { ACCOUNT, REGION, type Stage, type StageOptions, startStage } from './src/stage/start-stage.ts';
