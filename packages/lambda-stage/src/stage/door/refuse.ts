import { toS3Error } from './services/object-store.ts';
import { type Reply, toJsonError, toQueryError } from './services/reply.ts';
import type { SignatureProblem } from './verify-signature.ts';

/** Why a request is refused: its signature, IAM's decision, or the door does not support it. */
export type RefusalKind = SignatureProblem | 'denied' | 'unknownOperation' | 'noBackend';

type Answer = readonly [status: number, code: string];

/** Documented at https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html */
const s3: Readonly<Record<RefusalKind, Answer>> = {
  notSigned: [403, 'AccessDenied'],
  malformed: [400, 'AuthorizationHeaderMalformed'],
  otherScope: [400, 'AuthorizationHeaderMalformed'],
  unknownKey: [403, 'InvalidAccessKeyId'],
  otherToken: [400, 'InvalidToken'],
  expiredToken: [400, 'ExpiredToken'],
  otherTime: [403, 'RequestTimeTooSkewed'],
  expiredUrl: [403, 'AccessDenied'],
  unsignedHeader: [403, 'AccessDenied'],
  mismatch: [403, 'SignatureDoesNotMatch'],
  otherBody: [400, 'XAmzContentSHA256Mismatch'],
  denied: [403, 'AccessDenied'],
  unknownOperation: [501, 'NotImplemented'],
  noBackend: [503, 'ServiceUnavailable'],
};

/** Documented at https://docs.aws.amazon.com/STS/latest/APIReference/CommonErrors.html */
const query: Readonly<Record<RefusalKind, Answer>> = {
  notSigned: [403, 'MissingAuthenticationToken'],
  malformed: [400, 'IncompleteSignature'],
  otherScope: [403, 'SignatureDoesNotMatch'],
  unknownKey: [403, 'InvalidClientTokenId'],
  otherToken: [403, 'InvalidClientTokenId'],
  expiredToken: [403, 'ExpiredToken'],
  otherTime: [403, 'SignatureDoesNotMatch'],
  expiredUrl: [403, 'SignatureDoesNotMatch'],
  unsignedHeader: [403, 'SignatureDoesNotMatch'],
  mismatch: [403, 'SignatureDoesNotMatch'],
  otherBody: [403, 'SignatureDoesNotMatch'],
  denied: [403, 'AccessDenied'],
  unknownOperation: [400, 'InvalidAction'],
  noBackend: [503, 'ServiceUnavailable'],
};

/** Statuses of the JSON protocols, which use 400, and of Lambda's and Scheduler's REST APIs, which use 403. */
const json: Readonly<Record<RefusalKind, string>> = {
  notSigned: 'MissingAuthenticationTokenException',
  malformed: 'IncompleteSignatureException',
  otherScope: 'InvalidSignatureException',
  unknownKey: 'UnrecognizedClientException',
  otherToken: 'UnrecognizedClientException',
  expiredToken: 'ExpiredTokenException',
  otherTime: 'InvalidSignatureException',
  expiredUrl: 'InvalidSignatureException',
  unsignedHeader: 'InvalidSignatureException',
  mismatch: 'InvalidSignatureException',
  otherBody: 'InvalidSignatureException',
  denied: 'AccessDeniedException',
  unknownOperation: 'UnknownOperationException',
  noBackend: 'ServiceUnavailableException',
};

/** Services that accept only forms, and services that accept forms as well. */
const QUERY_ALONE = /^(sts|iam|cloudformation)$/;
const QUERY = /^monitoring$/;
const REST = /^(lambda|scheduler|execute-api)$/;

/**
 * The response with which a service refuses a request, in the service's own format.
 *
 * @param isForm - whether the request is a form, which services answer with XML
 */
export const refuseCall = (
  service: string,
  { method, isForm }: { readonly method: string; readonly isForm: boolean },
  kind: RefusalKind,
  message: string,
): Reply => {
  if (service === 's3') return toS3Error(method, ...s3[kind], message);
  if (QUERY_ALONE.test(service) || (isForm && QUERY.test(service)))
    return toQueryError(...query[kind], message);
  const type = json[kind];
  const isOurs = kind === 'noBackend';
  if (!REST.test(service))
    return toJsonError(`com.amazon.coral.service#${type}`, message, isOurs ? 503 : 400);
  return {
    status: isOurs ? 503 : kind === 'unknownOperation' ? 404 : 403,
    headers: { 'content-type': 'application/json', 'x-amzn-errortype': type },
    body: JSON.stringify({ Type: 'User', message, Message: message }),
  };
};
