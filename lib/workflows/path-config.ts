/** How the caller of a webhook is answered. */
export type ResponseMode = 'onReceived' | 'lastNode' | 'responseNode';
export type Authentication = 'none' | 'apiKey' | 'basic';

/** What one trigger of a workflow says of its webhook: derived from the definition, stored beside it. */
export interface PathConfig {
  /** With a leading slash and no trailing one, `/` for the workflow's own address. */
  readonly path: string;
  /** Upper case. */
  readonly method: string;
  readonly authentication: Authentication;
  /** Null only when `authentication` is `none`, or when the stored workflow is broken. */
  readonly credentialId: string | null;
  readonly responseMode: ResponseMode;
  readonly triggerNodeId: string;
}
