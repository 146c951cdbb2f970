import type { ConsoleAnswer } from './console-pages.ts';

/** A problem as JSON (RFC 9457), of the door itself. */
export interface Problem {
  /** The end of its type, or all of it. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
}

const PREFIX = 'urn:hookloom:problem:';

export const answerProblem = ({ type, ...problem }: Problem): ConsoleAnswer => ({
  status: problem.status,
  headers: [
    ['content-type', 'application/problem+json'],
    ['cache-control', 'no-store'],
  ],
  body: Buffer.from(
    JSON.stringify({ type: type.startsWith('urn:') ? type : `${PREFIX}${type}`, ...problem }),
  ),
});

/** Why a request to the admin API got no answer. */
export const toFailure = (error: unknown): Problem => ({
  type: 'console-stage-unreachable',
  title: 'The stage does not answer',
  status: 502,
  detail: error instanceof Error ? error.message : String(error),
});

/** Pages for a browser that brings no session. They say nothing of the stage. */
const REFUSALS = {
  used: [
    'This address was used already',
    'Each address of the console works once, in one browser. To open it here, stop the command with Ctrl+C, start it again, and open the address that it prints.',
  ],
  closed: [
    'This browser may not use the console',
    'Open the address that <code>hookloom console</code> printed in the terminal. If it was used already, stop the command with Ctrl+C and start it again.',
  ],
} as const;

export const answerRefusal = (reason: keyof typeof REFUSALS): ConsoleAnswer => {
  const [title, text] = REFUSALS[reason];
  return answerHtml(401, { title, body: `<h1>${title}</h1>\n<p>${text}</p>` });
};

/** A page of the door itself, which loads nothing; its address stays here. Texts are HTML. */
export const answerHtml = (
  status: number,
  { title, head = '', body }: { readonly title: string; readonly head?: string; readonly body: string },
): ConsoleAnswer => ({
  status,
  headers: [
    ['content-type', 'text/html; charset=utf-8'],
    ['content-security-policy', "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"],
    ['cache-control', 'no-store'],
    ['referrer-policy', 'no-referrer'],
    ['x-content-type-options', 'nosniff'],
  ],
  body: Buffer.from(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${head}<title>${title}</title>
</head>
<body>
${body}
</body>
</html>
`),
});
