import type { FoundCallback } from './find-callback.ts';

/** Ids and times hold no such characters; a page must not depend on that. */
const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const page = (title: string, content: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<h1>${title}</h1>
${content}
</html>
`;

/** A form that asks for the decision: GET must not decide, since mail and chat clients prefetch links. */
export const confirmationPage = ({ execution, expiresAt }: FoundCallback): string =>
  page(
    'A workflow waits for your decision',
    `<p>Workflow <b>${escapeHtml(execution.workflowId)}</b>, started at ${new Date(execution.startedAt).toISOString()}.
It waits until ${new Date(expiresAt).toISOString()}.</p>
<form method="post">
<p><label>Comment<br><textarea name="comment" rows="4" cols="60" maxlength="2000"></textarea></label></p>
<p><button name="decision" value="approve">Approve</button> <button name="decision" value="reject">Reject</button></p>
</form>`,
  );

export const decidedPage = (decision: 'approve' | 'reject'): string =>
  page(
    decision === 'approve' ? 'Approved' : 'Rejected',
    '<p>The workflow goes on. You can close this page.</p>',
  );
