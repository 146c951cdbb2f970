/** Everything for writing a plugin: `@hookloom/plugin-kit`. */

export type {
  AwsKeys,
  AwsRole,
  CredentialContext,
  CredentialFields,
  CredentialType,
  HealthCheckResult,
  Oauth2Server,
  SecretRenewal,
} from './contract/credential-type.ts';
export { asFinal, CatalogueError, isNodeError, NodeError, type NodeErrorOptions } from './contract/errors.ts';
export { type Files, type FileValue, isFileValue, SHA256 } from './contract/files.ts';
export {
  isBigInteger,
  isPlainObject,
  type JsonObject,
  type JsonValue,
  jsonEquals,
  parseJson,
  toExactJson,
} from './contract/json.ts';
export type { ActionProvider, LegacyProperty, TriggerProvider } from './contract/legacy-plugin.ts';
export {
  type Callback,
  type CallbackAnswer,
  type DeliveredInput,
  EACH_OUTPUT,
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
export type { NodeOutputs, OutputSchema } from './contract/outputs.ts';
export type {
  ControlTraits,
  EventSource,
  FindOptions,
  HandleKind,
  OptionsCall,
  ParameterOption,
  ParameterProblem,
  PluginContext,
  PluginDependency,
  PluginHandle,
  PluginProvider,
  Purity,
  TriggerSource,
} from './contract/plugin.ts';
export {
  type FoundRegistration,
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
  type AwsCall,
  type AwsClient,
  type AwsOperation,
  type ClientCertificate,
  type Clock,
  completeRequest,
  type HttpClient,
  type Ids,
  type LentCredential,
  type Logger,
  type OutboundRequest,
  type OutboundResponse,
  type Services,
  type TcpClient,
  type TcpTarget,
} from './contract/services.ts';
export type { State, StateOperation } from './contract/state.ts';
export { closed, fieldsLike, like, orNull } from './declare/closed.ts';
export { defineApp } from './declare/define-app.ts';
export {
  type CredentialNeeds,
  defineAction,
  definePlugin,
  defineTrigger,
  type NodeCall,
} from './declare/define-node-type.ts';
export { fileValue } from './declare/file-value.ts';
export { headers } from './declare/headers.ts';
export { createReader, isJsonMap, readParameters, wrongParameter } from './declare/read-parameters.ts';
export { eachOf, type TSchema, Type, type ValueOf, when } from './declare/type.ts';
export { findAddressProblem } from './tools/address-guard.ts';
export {
  type ApiFailure,
  callJsonApi,
  callJsonPages,
  type JsonAnswer,
  type JsonApiCall,
  type JsonPagesCall,
} from './tools/call-json-api.ts';
export { createPollTrigger, type PollDeclaration } from './tools/create-poll-trigger.ts';
export { defineCredentialType } from './tools/define-credential-type.ts';
export { type FetchedPages, fetchPages, findNextLink, type ReadNext } from './tools/fetch-pages.ts';
export { readItemKeys, toItemPlace } from './tools/item-keys.ts';
export { parsePointer } from './tools/json-pointer.ts';
export { createExpiringMemo, type Expiring, lazy } from './tools/lazy.ts';
export { familyOf, isNetwork, toBlockList, toCallerNetwork, toNetwork } from './tools/networks.ts';
export { applyOauth2, describeRefusal, requestToken, toClientHeader } from './tools/oauth2.ts';
export { toOauth2Fields } from './tools/oauth2-server.ts';
export { createRandom } from './tools/random.ts';
export { readBody, readErrorBody, readErrorStart } from './tools/read-body.ts';
export {
  addQuery,
  findHeaderProblem,
  fromAttempt,
  isDotSegment,
  isReservedHeader,
  isToken,
  joinUrl,
  setQuery,
  toTraceHeaders,
} from './tools/request-parts.ts';
export { requireValue } from './tools/require-value.ts';
export {
  findCertificateProblem,
  requireCredential,
  takeRole,
  toLoginOptions,
  withRotation,
} from './tools/server-login.ts';
export { pureWithoutFile, readSource, readTextFile } from './tools/source-file.ts';
export { findProblem, isPassing, readRetryAfter, toStatusError } from './tools/status-error.ts';
