import { redactText } from '../../shared/secrets/redact-text.ts';
import { isCredentialHeader, REDACTED } from '../../shared/secrets/secret-names.ts';
import { findKey } from './find-key.ts';
import { fitRequest } from './fit-request.ts';
import { hideCredentials } from './hide-credentials.ts';
import { keepBody } from './keep-body.ts';
import type { RequestOutcome } from './request-outcome.ts';
import type { RequestRecord } from './request-record.ts';

/** Limits of what is searched for secrets; far beyond what real senders need. */
const MAX_HEADERS = 100;
const MAX_TEXT = 4_000;

const NO_ADDRESS = 'a secret was removed from its address, or it is too long';
const NO_HEADERS = 'a secret was removed from its headers, or they are too long';
const NO_CREDENTIAL = 'a credential from its headers was also removed from its body';

/**
 * Converts a request to its record: truncated, and without secrets. Headers with credentials are redacted, even those
 * that the workflow reads, and their values are redacted everywhere else too; so are values in query and body whose
 * names suggest a secret.
 *
 * @param limitBytes - see `fitRequest`
 */
export const toRequestRecord = async (
  outcome: RequestOutcome,
  limitBytes: number,
): Promise<Omit<RequestRecord, 'place'>> => {
  const { request, webhook, secretHeaders, verdict, executionId, refusal } = outcome;
  const { workflowId, requestId, receivedAt, remoteAddress: sender, method } = request;
  const isCredential = (name: string) => isCredentialHeader(name) || secretHeaders.includes(name);
  const headers = Object.fromEntries(Object.entries(request.headers).slice(0, MAX_HEADERS));
  const hide = hideCredentials(headers, isCredential);

  const isKeyUnknown = outcome.key === undefined && webhook !== null;
  const key = isKeyUnknown ? await findKey(request, webhook) : (outcome.key ?? null);
  const path = redactText(hide(request.path.slice(0, MAX_TEXT)));
  const query = redactText(hide(request.rawQueryString.slice(0, MAX_TEXT)), MAX_TEXT, 'query');
  const keptHeaders = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      isCredential(name) ? REDACTED : redactText(hide(value.slice(0, MAX_TEXT))),
    ]),
  );
  const kept = keepBody(request);
  const body = hide(kept.body);
  const isAddressKept = path === request.path && query === request.rawQueryString;
  const areHeadersKept = Object.entries(request.headers).every(
    ([name, value]) => isCredential(name) || keptHeaders[name] === value,
  );
  const record = {
    ...{ workflowId, requestId, receivedAt, sender, method, path, query },
    headers: keptHeaders,
    body,
    bodyBytes: kept.bodyBytes,
    missing:
      kept.missing ??
      (isAddressKept ? null : NO_ADDRESS) ??
      (areHeadersKept ? null : NO_HEADERS) ??
      (body === kept.body ? null : NO_CREDENTIAL),
    key: key === null ? null : redactText(hide(key.slice(0, MAX_TEXT))),
    ...{ verdict, executionId, refusal },
  };
  return fitRequest(record, limitBytes);
};
