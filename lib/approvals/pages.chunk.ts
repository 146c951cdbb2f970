import type { JsonMap } from '@hookloom/bounded-schema';
import type { JsonObject, Question } from '@hookloom/plugin-kit';
import type { Answer } from '../shared/answer.ts';
import { checkAnswers, readForm } from '../shared/forms/form-answers.ts';
import type { FormError } from '../shared/forms/form-error.ts';
import type { FoundCallback } from './find-callback.ts';
import { renderForm } from './pages/form.ts';
import { html } from './pages/html.ts';
import { markdown } from './pages/markdown.ts';
import { answerNotice, answerPage } from './pages/page.ts';

// Loaded by requests that want a page or submit an answer to validate.

const anyComment = {
  type: 'object',
  properties: { comment: { type: 'string', title: 'Comment', maxLength: 2_000 } },
};

/**
 * The question, and a form for the decision: GET must not decide, since mail and chat clients prefetch links.
 *
 * @param refused - the answer that was not accepted
 */
export const askPage = (
  { execution, callback }: FoundCallback,
  refused: { readonly typed: JsonMap; readonly errors: readonly FormError[] } | null = null,
): Answer => {
  const { title, text, fields, askedBy } = callback.subject?.question ?? {};
  const by = askedBy === undefined ? '' : `Requested by ${askedBy}. `;
  return answerPage({
    status: refused === null ? 200 : 400,
    title: title ?? 'A workflow is waiting for your decision',
    hasErrors: refused !== null,
    content: html`${text !== undefined && markdown(text)}
<p class="dim">${by}Workflow <b>${execution.workflowId}</b>, started ${toTime(execution.startedAt)}. It waits until ${toTime(callback.expiresAt)}.</p>
${renderForm({
  schema: fields ?? anyComment,
  typed: refused?.typed ?? null,
  errors: refused?.errors ?? [],
  buttons: html`<button name="decision" value="approve">Approve</button>
<button name="decision" value="reject" class="other">Reject</button>`,
})}`,
  });
};

export const decidedPage = (decision: 'approve' | 'reject'): Answer =>
  answerNotice(
    200,
    decision === 'approve' ? 'Approved' : 'Rejected',
    'The workflow continues. You can close this page.',
  );

/** A problem (RFC 9457) as a page, with the headers of both. */
export const problemPage = (problem: Answer): Answer => {
  const { title, detail } = JSON.parse(problem.body ?? '{}') as Readonly<Record<string, string>>;
  const page = answerNotice(problem.status, TITLES[problem.status] ?? title ?? '', detail ?? '');
  return { ...page, headers: { ...problem.headers, ...page.headers } };
};

/** Plain-language titles for the most common problems. */
const TITLES: Readonly<Record<number, string>> = {
  404: 'There is nothing to decide here',
  410: 'There is nothing left to decide here',
  503: 'This did not work: try again in a minute',
};

/** Formats a time, as in `31 January 2026 at 09:00 UTC`: the reader's time zone is not known. */
const toTime = (ms: number) =>
  html`<time datetime="${new Date(ms).toISOString()}">${format.format(ms)} UTC</time>`;

const format = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'long',
  timeStyle: 'short',
  timeZone: 'UTC',
});

/**
 * Reads the fields of an answer.
 *
 * @param given - the fields sent, without the decision
 * @param isForm - whether all values are strings
 */
export const readAnswer = ({ fields }: Question, given: JsonObject, isForm: boolean) => {
  if (fields === undefined) return { body: given, errors: [] };
  const body = isForm ? (readForm(fields, given) as JsonObject) : given;
  return { body, errors: checkAnswers(fields, body) };
};
