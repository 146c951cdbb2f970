/** Everything for testing a plugin: `@hookloom/plugin-kit/testing`. */
export type { AwsAnswers, AwsExchange } from './fake-aws.ts';
export { lendCredential, type TestCredential } from './fake-credential.ts';
export { createFakeFiles, type FakeFiles } from './fake-files.ts';
export type { Exchange, FakeAnswer, HttpAnswers, SentRequest } from './fake-http.ts';
export { type Check, nodeTypeChecks } from './node-type-checks.ts';
export {
  type LogEntry,
  type NodeTest,
  type NodeTestResult,
  type OptionsTestResult,
  type PollTestResult,
  runNode,
  runOptions,
  runPoll,
} from './run-node.ts';
export { type RegistrationTest, type RegistrationTestResult, runRegistration } from './run-registration.ts';
