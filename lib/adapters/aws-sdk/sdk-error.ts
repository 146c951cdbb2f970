/** An error of the SDK. Fields that come from the service may be anything. */
export interface SdkError extends Error {
  readonly $retryable?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: number; readonly requestId?: string };
}
