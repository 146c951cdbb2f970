import { createHash, randomUUID } from 'node:crypto';
import { isMap, type JsonMap } from '@hookloom/bounded-schema';
import type { JsonObject } from '@hookloom/plugin-kit';
import { renderForm } from '../../approvals/pages/form.ts';
import { html } from '../../approvals/pages/html.ts';
import { markdown } from '../../approvals/pages/markdown.ts';
import { answerNotice, answerPage } from '../../approvals/pages/page.ts';
import { prefersHtml } from '../../approvals/pages/prefers-html.ts';
import type { Answer } from '../../shared/answer.ts';
import {
  BODY_SCHEMA_MISMATCH,
  BODY_TOO_LARGE,
  ORIGIN_NOT_ALLOWED,
  WEBHOOK_MISCONFIGURED,
} from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import { checkAnswers, readForm } from '../../shared/forms/form-answers.ts';
import { type FormError, toErrorMember } from '../../shared/forms/form-error.ts';
import { FORM_PAGE_ID } from '../../shared/forms/form-fields.ts';
import { markDuplicate, nameExecution } from '../answer-run.ts';
import { isForm } from '../parse-body.ts';
import { parseForm } from '../parse-form.chunk.ts';
import type { Webhook, WebhookRequest } from '../webhook.ts';
import type { Stages } from '../webhook-feature.ts';

/** Maximum size of a submitted form, enough for anything typed into a page. */
const MAX_FORM_BYTES = 1_000_000;

export const serveForm = (): Stages => {
  /** What was typed, for redisplaying the page. */
  const typedIn = new WeakMap<WebhookRequest, JsonMap>();
  return {
    verify: ({ request, webhook }) => {
      if (request.method === 'GET' || request.method === 'HEAD') return formPage(webhook, null, []);
      refuseOtherSites(request);
      return null;
    },
    parse: ({ request, webhook, content }) => {
      if (!isForm(request.headers)) return null;
      if (content.rawBody.length > MAX_FORM_BYTES)
        throw new AppError(BODY_TOO_LARGE, { limitBytes: MAX_FORM_BYTES });
      const { [FORM_PAGE_ID]: pageId, ...typed } = parseForm(content) as JsonMap;
      typedIn.set(request, typed);
      const body = readForm(schemaOf(webhook), typed) as JsonObject;
      // Without the page id: the same answers from another page are the same content.
      const deliveryContent = JSON.stringify(typed);
      return pageId === undefined
        ? { body, deliveryContent }
        : { body, deliveryContent, deliveryKey: hashBody(request.rawBody) };
    },
    judge: ({ request, webhook, input: { body } }) => {
      const typed = typedIn.get(request);
      if (typed === undefined) return null;
      const errors = checkAnswers(schemaOf(webhook), body as JsonObject);
      if (errors.length === 0) return null;
      if (prefersHtml(request.headers.accept)) return formPage(webhook, typed, errors);
      throw new AppError(BODY_SCHEMA_MISMATCH, { errors: errors.map(toErrorMember) });
    },
    acknowledge: ({ executionId, isDuplicate, execution: { input } }) => {
      const headers = input.headers as WebhookRequest['headers'];
      if (!isForm(headers) || !prefersHtml(headers.accept)) return null;
      const page = nameExecution(executionId, answerNotice(200, 'Thank you', 'Your answers have arrived.'));
      return isDuplicate ? markDuplicate(page) : page;
    },
  };
};

export const formPage = (webhook: Webhook, typed: JsonMap | null, errors: readonly FormError[]): Answer => {
  const schema = schemaOf(webhook);
  const { title = webhook.workflow.definition.name, description } = schema;
  return answerPage({
    status: errors.length === 0 ? 200 : 400,
    title: String(title),
    hasErrors: errors.length > 0,
    content: html`${typeof description === 'string' && markdown(description)}
${renderForm({
  schema,
  typed,
  errors,
  hidden: { [FORM_PAGE_ID]: randomUUID() },
  buttons: html`<button>Send</button>`,
})}`,
  });
};

const schemaOf = ({ config }: Webhook): JsonMap => {
  const schema = config.features?.schema;
  if (!isMap(schema)) throw new AppError(WEBHOOK_MISCONFIGURED, {});
  return schema;
};

/**
 * Refuses requests that pages of other sites make a browser send, with the password that it keeps for this site
 * (cross-site request forgery). All browsers have sent the header since 2023, and no page can set it:
 * https://www.w3.org/TR/fetch-metadata/
 *
 * @throws AppError `ORIGIN_NOT_ALLOWED`
 */
const refuseOtherSites = ({ headers }: WebhookRequest): void => {
  const site = headers['sec-fetch-site'] ?? 'none';
  if (site !== 'same-origin' && site !== 'none') throw new AppError(ORIGIN_NOT_ALLOWED, {});
};

/**
 * Returns the delivery key of a form: the same page with the same answers, sent twice, is one delivery; with different
 * answers it is a new one.
 */
const hashBody = (rawBody: Uint8Array): string => createHash('sha256').update(rawBody).digest('base64url');
