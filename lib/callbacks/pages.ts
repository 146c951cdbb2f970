import type { OpenCallback } from './find-callback.ts';

/** Names and times of ours hold no such characters; a page must not depend on that. */
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

/** Asks for a decision. To look at it decides nothing: mail readers and chats look at every link. */
export const confirmationPage = ({ record, expiresAt }: OpenCallback): string =>
  page(
    'A workflow waits for your decision',
    `<p>Workflow <b>${escapeHtml(record.workflowId)}</b>, started at ${new Date(record.startedAt).toISOString()}.
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
