/** The public API for plugins: `@hookloom/plugin-kit`. */
export type { AwsCall, AwsClient, AwsOperation } from '../aws-client.ts';
export type {
  CredentialContext,
  CredentialFields,
  CredentialType,
  LentCredential,
} from '../credential-type.ts';
export type { Files, FileValue } from '../files.ts';
export type { JsonObject, JsonValue } from '../json.ts';
export type { ActionProvider, LegacyProperty, TriggerProvider } from '../legacy-plugin.ts';
export {
  type DeliveredInput,
  emit,
  type NodeContext,
  type NodeExecutor,
  type NodeResult,
  type RunControl,
  type Usage,
  type WorkflowNode,
} from '../node.ts';
export { NodeError, type NodeErrorOptions } from '../node-error.ts';
export type {
  EventSource,
  HealthCheckResult,
  PluginContext,
  PluginDependency,
  PluginHandle,
  PluginProvider,
} from '../plugin.ts';
export {
  type RegisteredTrigger,
  type RegistrationContext,
  RegistrationRefused,
  type RegistrationRequest,
  type TriggerAddress,
  toEnvelope,
} from '../registration.ts';
export type {
  Clock,
  HttpClient,
  Logger,
  OutboundRequest,
  OutboundResponse,
  Services,
} from '../services.ts';
export type { TcpClient, TcpTarget } from '../tcp-client.ts';
export { defineCredentialType } from './define-credential-type.ts';
export { defineAction, defineTrigger } from './define-node-type.ts';
export { definePlugin } from './define-plugin.ts';
export type { CredentialNeeds, NodeCall } from './node-call.ts';
export { Type } from './type.ts';
export type { ValueOf } from './value-of.ts';
