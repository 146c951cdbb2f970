/** Everything for writing a plugin: `@hookloom/plugin-kit`. */
export type { AwsCall, AwsClient, AwsOperation } from './contract/aws-client.ts';
export { CatalogueError } from './contract/catalogue-error.ts';
export type {
  AwsRole,
  CredentialContext,
  CredentialFields,
  CredentialType,
} from './contract/credential-type.ts';
export { type Files, type FileValue, isFileValue, SHA256 } from './contract/files.ts';
export type { HealthCheckResult } from './contract/health-check-result.ts';
export { isPlainObject, type JsonObject, type JsonValue } from './contract/json.ts';
export { jsonEquals } from './contract/json-equals.ts';
export type { ActionProvider, LegacyProperty, TriggerProvider } from './contract/legacy-plugin.ts';
export type { LentCredential } from './contract/lent-credential.ts';
export {
  type Callback,
  type CallbackAnswer,
  type DeliveredInput,
  Emission,
  ERROR_OUTPUT,
  type ExecutionInfo,
  emit,
  type InnerResult,
  MAIN_OUTPUT,
  type NodeContext,
  type NodeExecutor,
  type NodeResult,
  type NodeSettings,
  type Question,
  RESPONSE_OUTPUT,
  type RetrySettings,
  type RunControl,
  type Usage,
  type WorkflowNode,
} from './contract/node.ts';
export { isNodeError, NodeError, type NodeErrorOptions } from './contract/node-error.ts';
export type {
  ControlTraits,
  EventSource,
  HandleKind,
  NodeOutputs,
  ParameterProblem,
  PluginContext,
  PluginDependency,
  PluginHandle,
  PluginProvider,
  Purity,
  TriggerSource,
} from './contract/plugin.ts';
export {
  type RegisteredTrigger,
  type RegistrationContext,
  RegistrationRefused,
  type RegistrationRequest,
  type TriggerAddress,
  toEnvelope,
} from './contract/registration.ts';
export { isServiceError } from './contract/service-error.ts';
export * from './contract/service-error-catalogue.ts';
export {
  type ClientCertificate,
  type Clock,
  completeRequest,
  type HttpClient,
  type Ids,
  type Logger,
  type OutboundRequest,
  type OutboundResponse,
  type Services,
} from './contract/services.ts';
export type { TcpClient, TcpTarget } from './contract/tcp-client.ts';
export { defineCredentialType } from './declare/define-credential-type.ts';
export { defineAction, definePlugin, defineTrigger } from './declare/define-node-type.ts';
export type { CredentialNeeds, NodeCall } from './declare/node-call.ts';
export { createReader, isJsonMap, readParameters, wrongParameter } from './declare/read-parameters.ts';
export { Type } from './declare/type.ts';
export type { ValueOf } from './declare/value-of.ts';
export { eachOf, when } from './declare/when.ts';
export { findAddressProblem } from './tools/address-guard.ts';
export { fromAttempt, toTraceHeaders } from './tools/attempt-request.ts';
export { type ApiFailure, callJsonApi, type JsonAnswer, type JsonApiCall } from './tools/call-json-api.ts';
export { findCertificateProblem } from './tools/certificate-problem.ts';
export { requireCredential, takeRole } from './tools/credential-for.ts';
export { findProblem } from './tools/find-problem.ts';
export { findHeaderProblem, isReservedHeader, isToken } from './tools/header-fields.ts';
export { createExpiringMemo, type Expiring, lazy } from './tools/lazy.ts';
export { toLoginOptions } from './tools/login-options.ts';
export { familyOf, isNetwork, toBlockList, toCallerNetwork, toNetwork } from './tools/networks.ts';
export { isPassing } from './tools/passing-status.ts';
export { createRandom } from './tools/random.ts';
export { readBody, readErrorBody, readErrorStart } from './tools/read-body.ts';
export { addQuery, joinUrl, setQuery } from './tools/request-url.ts';
export { requireValue } from './tools/require-value.ts';
export { readRetryAfter } from './tools/retry-after.ts';
export { pureWithoutFile, readSource, readTextFile } from './tools/source-file.ts';
export { toStatusError } from './tools/status-error.ts';
export { withRotation } from './tools/with-rotation.ts';
